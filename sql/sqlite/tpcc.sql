-- What SQLite says otherwise than common/tpcc.sql: its texts compare by bytes
-- anyway, and a transaction that writes has the file to itself.

-- name: create_customer
CREATE TABLE customer{t} (
  c_w_id INTEGER NOT NULL,
  c_d_id INTEGER NOT NULL,
  c_id INTEGER NOT NULL,
  c_first VARCHAR(16) NOT NULL,
  c_middle CHAR(2) NOT NULL,
  c_last VARCHAR(16) NOT NULL,
  c_street_1 VARCHAR(20) NOT NULL,
  c_street_2 VARCHAR(20) NOT NULL,
  c_city VARCHAR(20) NOT NULL,
  c_state CHAR(2) NOT NULL,
  c_zip CHAR(9) NOT NULL,
  c_phone CHAR(16) NOT NULL,
  c_since TIMESTAMP NOT NULL,
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

-- name: create_history_key
CREATE TABLE history{t} (
  h_id INTEGER NOT NULL,
  h_c_id INTEGER NOT NULL,
  h_c_d_id INTEGER NOT NULL,
  h_c_w_id INTEGER NOT NULL,
  h_d_id INTEGER NOT NULL,
  h_w_id INTEGER NOT NULL,
  h_date TIMESTAMP NOT NULL,
  h_amount DECIMAL(20,2) NOT NULL,
  h_data VARCHAR(24) NOT NULL,
  PRIMARY KEY (h_id)
)

-- name: oldest_new_order
SELECT no_o_id FROM new_order{t} WHERE no_w_id = :w AND no_d_id = :d
ORDER BY no_o_id LIMIT 1
