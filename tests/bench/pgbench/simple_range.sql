\set id random(1, :rows)
\set last :id + 99
SELECT c FROM sbtest1 WHERE id BETWEEN :id AND :last;
