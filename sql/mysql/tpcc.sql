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

-- The transactions as procedures, and how `tpcc_proc` calls them. Each is one
-- transaction: an error undoes all of it and is passed on.

-- Lines come in the order of their stock rows' keys, each column as a list with
-- commas, which MySQL and MariaDB have no arrays for. `missing` is the item that
-- there is not, or 0.
-- name: create_new_order_procedure
CREATE PROCEDURE tiermark_new_order{t}(
  w INTEGER, d INTEGER, c INTEGER, entered DATETIME, all_local INTEGER,
  numbers VARCHAR(200), items VARCHAR(200), supplies VARCHAR(200), quantities VARCHAR(200))
body: BEGIN
  DECLARE o, number, item, supply, quantity INTEGER;
  DECLARE n INTEGER DEFAULT 0;
  DECLARE line_count INTEGER DEFAULT 1 + LENGTH(items) - LENGTH(REPLACE(items, ',', ''));
  DECLARE discount, tax, district_tax DECIMAL(4,4);
  DECLARE price DECIMAL(5,2);
  DECLARE total DECIMAL(20,2) DEFAULT 0;
  DECLARE dist_info CHAR(24);
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  UPDATE district{t} SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = w AND d_id = d;
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'take_order_number did not change 1 row';
  END IF;
  SELECT d_next_o_id - 1, d_tax INTO o, district_tax
  FROM district{t} WHERE d_w_id = w AND d_id = d;
  SELECT c_discount, w_tax INTO discount, tax
  FROM warehouse{t}, customer{t}
  WHERE w_id = w AND c_w_id = w_id AND c_d_id = d AND c_id = c;
  IF discount IS NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'new_order_customer did not find 1 row';
  END IF;
  INSERT INTO orders{t} (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
  VALUES (w, d, o, c, entered, NULL, line_count, all_local);
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'insert_order did not change 1 row';
  END IF;
  INSERT INTO new_order{t} (no_w_id, no_d_id, no_o_id) VALUES (w, d, o);
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'insert_new_order did not change 1 row';
  END IF;
  WHILE n < line_count DO
    SET n = n + 1;
    SET number = SUBSTRING_INDEX(SUBSTRING_INDEX(numbers, ',', n), ',', -1);
    SET item = SUBSTRING_INDEX(SUBSTRING_INDEX(items, ',', n), ',', -1);
    SET supply = SUBSTRING_INDEX(SUBSTRING_INDEX(supplies, ',', n), ',', -1);
    SET quantity = SUBSTRING_INDEX(SUBSTRING_INDEX(quantities, ',', n), ',', -1);
    SET price = NULL;
    SELECT i_price INTO price FROM item{t} WHERE i_id = item;
    IF price IS NULL THEN
      ROLLBACK;
      SELECT item AS missing, NULL AS o_id, NULL AS total;
      LEAVE body;
    END IF;
    UPDATE stock{t} SET
      s_quantity = CASE WHEN s_quantity >= quantity + 10 THEN s_quantity - quantity
                        ELSE s_quantity - quantity + 91 END,
      s_ytd = s_ytd + quantity,
      s_order_cnt = s_order_cnt + 1,
      s_remote_cnt = s_remote_cnt + CASE WHEN supply = w THEN 0 ELSE 1 END
    WHERE s_w_id = supply AND s_i_id = item;
    IF ROW_COUNT() <> 1 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'take_stock did not change 1 row';
    END IF;
    SELECT CASE d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03
      WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07
      WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END INTO dist_info
    FROM stock{t} WHERE s_w_id = supply AND s_i_id = item;
    INSERT INTO order_line{t} (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,
      ol_delivery_d, ol_quantity, ol_amount, ol_dist_info)
    VALUES (w, d, o, number, item, supply, NULL, quantity, quantity * price, dist_info);
    IF ROW_COUNT() <> 1 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'insert_line did not change 1 row';
    END IF;
    SET total = total + quantity * price;
  END WHILE;
  COMMIT;
  SELECT 0 AS missing, o AS o_id,
    ROUND(total * (1 - discount) * (1 + tax + district_tax), 2) AS total;
END body

-- name: call_new_order
CALL tiermark_new_order{t}(:w, :d, :c, :at, :all_local, :numbers, :items, :supplies, :quantities)

-- The customer by `c`, or where that is null the middle one of `last_name`.
-- name: create_payment_procedure
CREATE PROCEDURE tiermark_payment{t}(
  w INTEGER, d INTEGER, cw INTEGER, cd INTEGER, c INTEGER,
  last_name VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin,
  amount DECIMAL(20,2), paid DATETIME)
BEGIN
  DECLARE names VARCHAR(24);
  DECLARE middle INTEGER;
  DECLARE balance DECIMAL(20,2);
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  UPDATE warehouse{t} SET w_ytd = w_ytd + amount WHERE w_id = w;
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'pay_warehouse did not change 1 row';
  END IF;
  UPDATE district{t} SET d_ytd = d_ytd + amount WHERE d_w_id = w AND d_id = d;
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'pay_district did not change 1 row';
  END IF;
  SELECT CONCAT(w_name, '    ', d_name) INTO names
  FROM warehouse{t}, district{t} WHERE w_id = w AND d_w_id = w_id AND d_id = d;
  IF c IS NULL THEN
    SELECT (COUNT(*) - 1) DIV 2 INTO middle
    FROM customer{t} WHERE c_w_id = cw AND c_d_id = cd AND c_last = last_name;
    SELECT c_id INTO c
    FROM customer{t} WHERE c_w_id = cw AND c_d_id = cd AND c_last = last_name
    ORDER BY c_first LIMIT middle, 1;
    IF c IS NULL THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no customer has the last name that pays';
    END IF;
  END IF;
  UPDATE customer{t} SET c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = CASE c_credit WHEN 'BC'
      THEN SUBSTR(CONCAT_WS(' ', c, cd, cw, d, w, amount, c_data), 1, 500) ELSE c_data END
  WHERE c_w_id = cw AND c_d_id = cd AND c_id = c;
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'pay_customer did not change 1 row';
  END IF;
  SELECT c_balance INTO balance FROM customer{t} WHERE c_w_id = cw AND c_d_id = cd AND c_id = c;
  INSERT INTO history{t} (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
  VALUES (c, cd, cw, d, w, paid, amount, names);
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'insert_history did not change 1 row';
  END IF;
  COMMIT;
  SELECT c AS c_id, balance;
END

-- name: call_payment
CALL tiermark_payment{t}(:w, :d, :cw, :cd, :c, :last, :amount, :at)

-- name: create_order_status_procedure
CREATE PROCEDURE tiermark_order_status{t}(
  w INTEGER, d INTEGER, c INTEGER,
  last_name VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin)
BEGIN
  DECLARE middle, o, carrier, lines_found INTEGER;
  DECLARE balance, total DECIMAL(20,2);
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  IF c IS NULL THEN
    SELECT (COUNT(*) - 1) DIV 2 INTO middle
    FROM customer{t} WHERE c_w_id = w AND c_d_id = d AND c_last = last_name;
    SELECT c_id INTO c
    FROM customer{t} WHERE c_w_id = w AND c_d_id = d AND c_last = last_name
    ORDER BY c_first LIMIT middle, 1;
    IF c IS NULL THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no customer has the last name asked for';
    END IF;
  END IF;
  SELECT c_balance INTO balance FROM customer{t} WHERE c_w_id = w AND c_d_id = d AND c_id = c;
  IF balance IS NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'customer_by_id did not find 1 row';
  END IF;
  SELECT o_id, o_carrier_id INTO o, carrier
  FROM orders{t} WHERE o_w_id = w AND o_d_id = d AND o_c_id = c ORDER BY o_id DESC LIMIT 1;
  IF o IS NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'last_order did not find 1 row';
  END IF;
  SELECT COUNT(*), SUM(ol_amount) INTO lines_found, total
  FROM order_line{t} WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o;
  IF lines_found NOT BETWEEN 5 AND 15 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'order_lines did not find 5 to 15 rows';
  END IF;
  COMMIT;
  SELECT c AS c_id, balance, o AS o_id, carrier, total;
END

-- name: call_order_status
CALL tiermark_order_status{t}(:w, :d, :c, :last)

-- InnoDB goes on to the next row where another delivery took the one that this
-- one waited for, so nothing found is nothing there.
-- name: create_delivery_procedure
CREATE PROCEDURE tiermark_delivery{t}(w INTEGER, carrier INTEGER, delivered DATETIME)
BEGIN
  DECLARE d, skipped INTEGER DEFAULT 0;
  DECLARE o, c, lines_changed INTEGER;
  DECLARE total DECIMAL(20,2);
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  WHILE d < 10 DO
    SET d = d + 1;
    SET o = NULL;
    SELECT no_o_id INTO o FROM new_order{t} WHERE no_w_id = w AND no_d_id = d
    ORDER BY no_o_id LIMIT 1 FOR UPDATE;
    IF o IS NULL THEN
      SET skipped = skipped + 1;
    ELSE
      DELETE FROM new_order{t} WHERE no_w_id = w AND no_d_id = d AND no_o_id = o;
      IF ROW_COUNT() <> 1 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'delete_new_order did not change 1 row';
      END IF;
      UPDATE orders{t} SET o_carrier_id = carrier WHERE o_w_id = w AND o_d_id = d AND o_id = o;
      IF ROW_COUNT() <> 1 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'deliver_order did not change 1 row';
      END IF;
      SELECT o_c_id INTO c FROM orders{t} WHERE o_w_id = w AND o_d_id = d AND o_id = o;
      UPDATE order_line{t} SET ol_delivery_d = delivered
      WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o;
      SET lines_changed = ROW_COUNT();
      IF lines_changed NOT BETWEEN 5 AND 15 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'deliver_lines did not change 5 to 15 rows';
      END IF;
      SELECT SUM(ol_amount) INTO total
      FROM order_line{t} WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o;
      UPDATE customer{t} SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
      WHERE c_w_id = w AND c_d_id = d AND c_id = c;
      IF ROW_COUNT() <> 1 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'credit_customer did not change 1 row';
      END IF;
    END IF;
  END WHILE;
  COMMIT;
  SELECT skipped;
END

-- name: call_delivery
CALL tiermark_delivery{t}(:w, :carrier, :at)

-- name: create_stock_level_procedure
CREATE PROCEDURE tiermark_stock_level{t}(w INTEGER, d INTEGER, threshold INTEGER)
BEGIN
  DECLARE next_o, low INTEGER;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
  START TRANSACTION;
  SELECT d_next_o_id INTO next_o FROM district{t} WHERE d_w_id = w AND d_id = d;
  IF next_o IS NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'next_order_number did not find 1 row';
  END IF;
  SELECT COUNT(DISTINCT s_i_id) INTO low
  FROM order_line{t}, stock{t}
  WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id BETWEEN next_o - 20 AND next_o - 1
    AND s_w_id = w AND s_i_id = ol_i_id AND s_quantity < threshold;
  COMMIT;
  SELECT low;
END

-- name: call_stock_level
CALL tiermark_stock_level{t}(:w, :d, :threshold)
