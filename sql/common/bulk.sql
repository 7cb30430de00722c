-- The table of sysbench's bulk_insert.lua, and an INSERT of many rows. One text
-- serves all engines and any number of rows: the numbers 0 to batch - 1 come
-- from doubling a range until it is wide enough, so that the recursion stays
-- far below MySQL's and MariaDB's limit of 1000.

-- name: create_bulk
CREATE TABLE bulk{t} (
  id INTEGER NOT NULL,
  k INTEGER DEFAULT 0 NOT NULL,
  PRIMARY KEY (id)
)

-- name: bulk_insert
INSERT INTO bulk{t} (id, k)
WITH RECURSIVE numbers (i, width) AS (
  SELECT 0, 1
  UNION ALL
  SELECT 2 * i + half, 2 * width
  FROM numbers CROSS JOIN (SELECT 0 AS half UNION ALL SELECT 1) AS halves
  WHERE width < :batch
)
SELECT :id + i, :id + i FROM numbers WHERE width >= :batch AND i < :batch
