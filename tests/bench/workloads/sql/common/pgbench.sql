-- Tables and statements of pgbench's simple-update.

-- name: create_accounts
CREATE TABLE pgbench_accounts (
  aid INTEGER NOT NULL,
  bid INTEGER,
  abalance INTEGER,
  filler CHAR(84),
  PRIMARY KEY (aid)
)

-- name: create_history
CREATE TABLE pgbench_history (
  tid INTEGER,
  bid INTEGER,
  aid INTEGER,
  delta INTEGER,
  mtime TIMESTAMP,
  filler CHAR(22)
)

-- name: update_account
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid

-- name: select_balance
SELECT abalance FROM pgbench_accounts WHERE aid = :aid

-- name: add_history
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP)
