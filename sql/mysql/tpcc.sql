-- What MySQL and MariaDB say otherwise than common/tpcc.sql: DATETIME, which has
-- no time zone; names that compare by bytes; no RETURNING in an UPDATE; a read
-- that sees what others have committed.

-- name: create_customer
CREATE TABLE customer{t} (
  c_w_id INTEGER NOT NULL,
  c_d_id INTEGER NOT NULL,
  c_id INTEGER NOT NULL,
  c_first VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  c_middle CHAR(2) NOT NULL,
  c_last VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  c_street_1 VARCHAR(20) NOT NULL,
  c_street_2 VARCHAR(20) NOT NULL,
  c_city VARCHAR(20) NOT NULL,
  c_state CHAR(2) NOT NULL,
  c_zip CHAR(9) NOT NULL,
  c_phone CHAR(16) NOT NULL,
  c_since DATETIME NOT NULL,
  c_credit CHAR(2) NOT NULL,
  c_credit_lim DECIMAL(20,2) NOT NULL,
  c_discount DECIMAL(4,4) NOT NULL,
  c_balance DECIMAL(20,2) NOT NULL,
  c_ytd_payment DECIMAL(20,2) NOT NULL,
  c_payment_cnt INTEGER NOT NULL,
  c_delivery_cnt INTEGER NOT NULL,
  c_data VARCHAR(500) NOT NULL,
  PRIMARY KEY (c_w_id, c_d_id, c_id)
)

-- name: create_history
CREATE TABLE history{t} (
  h_c_id INTEGER NOT NULL,
  h_c_d_id INTEGER NOT NULL,
  h_c_w_id INTEGER NOT NULL,
  h_d_id INTEGER NOT NULL,
  h_w_id INTEGER NOT NULL,
  h_date DATETIME NOT NULL,
  h_amount DECIMAL(20,2) NOT NULL,
  h_data VARCHAR(24) NOT NULL
)

-- name: create_history_key
CREATE TABLE history{t} (
  h_id BIGINT NOT NULL AUTO_INCREMENT,
  h_c_id INTEGER NOT NULL,
  h_c_d_id INTEGER NOT NULL,
  h_c_w_id INTEGER NOT NULL,
  h_d_id INTEGER NOT NULL,
  h_w_id INTEGER NOT NULL,
  h_date DATETIME NOT NULL,
  h_amount DECIMAL(20,2) NOT NULL,
  h_data VARCHAR(24) NOT NULL,
  PRIMARY KEY (h_id)
)

-- name: create_orders
CREATE TABLE orders{t} (
  o_w_id INTEGER NOT NULL,
  o_d_id INTEGER NOT NULL,
  o_id INTEGER NOT NULL,
  o_c_id INTEGER NOT NULL,
  o_entry_d DATETIME NOT NULL,
  o_carrier_id INTEGER,
  o_ol_cnt INTEGER NOT NULL,
  o_all_local INTEGER NOT NULL,
  PRIMARY KEY (o_w_id, o_d_id, o_id)
)

-- name: create_order_line
CREATE TABLE order_line{t} (
  ol_w_id INTEGER NOT NULL,
  ol_d_id INTEGER NOT NULL,
  ol_o_id INTEGER NOT NULL,
  ol_number INTEGER NOT NULL,
  ol_i_id INTEGER NOT NULL,
  ol_supply_w_id INTEGER NOT NULL,
  ol_delivery_d DATETIME,
  ol_quantity INTEGER NOT NULL,
  ol_amount DECIMAL(20,2) NOT NULL,
  ol_dist_info CHAR(24) NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
)

-- name: take_order_number
UPDATE district{t} SET d_next_o_id = d_next_o_id + 1
WHERE d_w_id = :w AND d_id = :d

-- name: take_stock
UPDATE stock{t} SET
  s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity
                    ELSE s_quantity - :quantity + 91 END,
  s_ytd = s_ytd + :quantity,
  s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :remote
WHERE s_w_id = :supply AND s_i_id = :i

-- name: pay_warehouse
UPDATE warehouse{t} SET w_ytd = w_ytd + :amount WHERE w_id = :w

-- name: pay_district
UPDATE district{t} SET d_ytd = d_ytd + :amount WHERE d_w_id = :w AND d_id = :d

-- name: pay_bad_credit
UPDATE customer{t} SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount,
  c_payment_cnt = c_payment_cnt + 1, c_data = SUBSTR(CONCAT(:data, c_data), 1, 500)
WHERE c_w_id = :cw AND c_d_id = :cd AND c_id = :c

-- Locks, because a plain read at repeatable read would go on showing what others
-- have delivered since this transaction's first one.
-- name: any_new_order
SELECT no_o_id FROM new_order{t} WHERE no_w_id = :w AND no_d_id = :d LIMIT 1 FOR UPDATE

-- name: deliver_order
UPDATE orders{t} SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o

-- name: deliver_lines
UPDATE order_line{t} SET ol_delivery_d = :at WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o
