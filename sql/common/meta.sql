-- tiermark's own table: what it loaded, from which workload and parameters.
-- `scope` is a table's name; its items are its owner, seed, parameters and
-- state, and while it is loaded one for each chunk of rows that is committed.
-- Or it is `procedure:` and a stored procedure's name.
-- Only tables and procedures named here are ever dropped.

-- name: create
CREATE TABLE tiermark_meta (
  scope VARCHAR(128) NOT NULL,
  item VARCHAR(64) NOT NULL,
  value VARCHAR(2000) NOT NULL,
  PRIMARY KEY (scope, item)
)

-- name: drop
DROP TABLE tiermark_meta

-- name: read
SELECT scope, item, value FROM tiermark_meta ORDER BY scope, item

-- name: add
INSERT INTO tiermark_meta (scope, item, value) VALUES (:scope, :item, :value)

-- name: set
UPDATE tiermark_meta SET value = :value WHERE scope = :scope AND item = :item

-- name: chunk
SELECT value FROM tiermark_meta WHERE scope = :scope AND item = :item

-- name: forget_chunks
DELETE FROM tiermark_meta WHERE scope = :scope AND item LIKE 'chunk:%'

-- name: forget
DELETE FROM tiermark_meta WHERE scope = :scope
