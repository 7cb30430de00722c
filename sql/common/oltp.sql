-- The statements of sysbench's oltp_*.lua, as those scripts send them.

-- name: create_sbtest
CREATE TABLE sbtest{t} (
  id INTEGER NOT NULL,
  k INTEGER DEFAULT 0 NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  PRIMARY KEY (id)
)

-- name: k_index
CREATE INDEX k_{t} ON sbtest{t} (k)

-- name: point_select
SELECT c FROM sbtest{t} WHERE id = :id

-- name: simple_range
SELECT c FROM sbtest{t} WHERE id BETWEEN :id AND :last

-- name: sum_range
SELECT SUM(k) FROM sbtest{t} WHERE id BETWEEN :id AND :last

-- name: order_range
SELECT c FROM sbtest{t} WHERE id BETWEEN :id AND :last ORDER BY c

-- name: distinct_range
SELECT DISTINCT c FROM sbtest{t} WHERE id BETWEEN :id AND :last ORDER BY c

-- name: index_update
UPDATE sbtest{t} SET k = k + 1 WHERE id = :id

-- name: non_index_update
UPDATE sbtest{t} SET c = :c WHERE id = :id

-- name: delete
DELETE FROM sbtest{t} WHERE id = :id

-- name: insert
INSERT INTO sbtest{t} (id, k, c, pad) VALUES (:id, :k, :c, :pad)

-- name: random_points
SELECT id, k, c, pad FROM sbtest{t}
WHERE k IN (:k1, :k2, :k3, :k4, :k5, :k6, :k7, :k8, :k9, :k10)

-- name: random_ranges
SELECT COUNT(k) FROM sbtest{t}
WHERE k BETWEEN :k1 AND :e1 OR k BETWEEN :k2 AND :e2 OR k BETWEEN :k3 AND :e3
   OR k BETWEEN :k4 AND :e4 OR k BETWEEN :k5 AND :e5 OR k BETWEEN :k6 AND :e6
   OR k BETWEEN :k7 AND :e7 OR k BETWEEN :k8 AND :e8 OR k BETWEEN :k9 AND :e9
   OR k BETWEEN :k10 AND :e10

-- Not of sysbench: for oltp_spill. A window function must have its rows sorted, by
-- two columns, as PostgreSQL 18 keeps a sort of one, of this size, in memory. What a
-- column is looked up in is put into a hash or an index of its own.

-- name: spill_sort
SELECT MAX(place) FROM (
  SELECT ROW_NUMBER() OVER (ORDER BY c, id) AS place
  FROM sbtest{t} WHERE id BETWEEN :first AND :last
) AS sorted

-- name: spill_hash
SELECT COUNT(*) FROM sbtest{t}
WHERE id BETWEEN :first AND :last
  AND (c, pad) IN (SELECT c, pad FROM sbtest{t} WHERE id BETWEEN :first AND :last)
