-- TPC-C's transactions as procedures of PostgreSQL, and how `tpcc_proc` calls
-- them. They do what common/tpcc.sql does statement by statement. A CALL without
-- BEGIN is a transaction of its own; what is raised undoes it.

-- Lines come in the order of their stock rows' keys, as arrays. `missing` is the
-- item that there is not, or 0.
-- name: create_new_order_procedure
CREATE PROCEDURE tiermark_new_order{t}(
  w INTEGER, d INTEGER, c INTEGER, entered TIMESTAMP, all_local INTEGER,
  numbers INTEGER[], items INTEGER[], supplies INTEGER[], quantities INTEGER[],
  INOUT missing INTEGER, INOUT o INTEGER, INOUT total NUMERIC)
LANGUAGE plpgsql AS $$
DECLARE
  lines INTEGER := cardinality(items);
  discount NUMERIC;
  tax NUMERIC;
  district_tax NUMERIC;
  price NUMERIC;
  dist_info TEXT;
BEGIN
  missing := 0;
  total := 0;
  UPDATE district{t} SET d_next_o_id = d_next_o_id + 1
  WHERE d_w_id = w AND d_id = d
  RETURNING d_next_o_id - 1, d_tax INTO o, district_tax;
  IF NOT FOUND THEN RAISE EXCEPTION 'take_order_number changed 0 rows, not 1'; END IF;
  SELECT c_discount, w_tax INTO discount, tax
  FROM warehouse{t}, customer{t}
  WHERE w_id = w AND c_w_id = w_id AND c_d_id = d AND c_id = c;
  IF NOT FOUND THEN RAISE EXCEPTION 'new_order_customer found 0 rows, not 1'; END IF;
  INSERT INTO orders{t} (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
  VALUES (w, d, o, c, entered, NULL, lines, all_local);
  IF NOT FOUND THEN RAISE EXCEPTION 'insert_order changed 0 rows, not 1'; END IF;
  INSERT INTO new_order{t} (no_w_id, no_d_id, no_o_id) VALUES (w, d, o);
  IF NOT FOUND THEN RAISE EXCEPTION 'insert_new_order changed 0 rows, not 1'; END IF;
  FOR n IN 1 .. lines LOOP
    SELECT i_price INTO price FROM item{t} WHERE i_id = items[n];
    IF NOT FOUND THEN
      ROLLBACK;
      missing := items[n];
      o := NULL;
      total := NULL;
      RETURN;
    END IF;
    UPDATE stock{t} SET
      s_quantity = CASE WHEN s_quantity >= quantities[n] + 10 THEN s_quantity - quantities[n]
                        ELSE s_quantity - quantities[n] + 91 END,
      s_ytd = s_ytd + quantities[n],
      s_order_cnt = s_order_cnt + 1,
      s_remote_cnt = s_remote_cnt + CASE WHEN supplies[n] = w THEN 0 ELSE 1 END
    WHERE s_w_id = supplies[n] AND s_i_id = items[n]
    RETURNING CASE d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03
      WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07
      WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END INTO dist_info;
    IF NOT FOUND THEN RAISE EXCEPTION 'take_stock changed 0 rows, not 1'; END IF;
    INSERT INTO order_line{t} (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,
      ol_delivery_d, ol_quantity, ol_amount, ol_dist_info)
    VALUES (w, d, o, numbers[n], items[n], supplies[n],
      NULL, quantities[n], quantities[n] * price, dist_info);
    IF NOT FOUND THEN RAISE EXCEPTION 'insert_line changed 0 rows, not 1'; END IF;
    total := total + quantities[n] * price;
  END LOOP;
  total := round(total * (1 - discount) * (1 + tax + district_tax), 2);
END $$

-- name: call_new_order
CALL tiermark_new_order{t}(:w, :d, :c, :at, :all_local,
  string_to_array(:numbers, ',')::INTEGER[], string_to_array(:items, ',')::INTEGER[],
  string_to_array(:supplies, ',')::INTEGER[], string_to_array(:quantities, ',')::INTEGER[],
  NULL, NULL, NULL)

-- The customer by `c`, or where that is null the middle one of `last_name`.
-- name: create_payment_procedure
CREATE PROCEDURE tiermark_payment{t}(
  w INTEGER, d INTEGER, cw INTEGER, cd INTEGER, INOUT c INTEGER, last_name VARCHAR,
  amount NUMERIC, paid TIMESTAMP, INOUT balance NUMERIC)
LANGUAGE plpgsql AS $$
DECLARE
  warehouse_name TEXT;
  district_name TEXT;
  namesakes INTEGER[];
BEGIN
  UPDATE warehouse{t} SET w_ytd = w_ytd + amount WHERE w_id = w
  RETURNING w_name INTO warehouse_name;
  IF NOT FOUND THEN RAISE EXCEPTION 'pay_warehouse changed 0 rows, not 1'; END IF;
  UPDATE district{t} SET d_ytd = d_ytd + amount WHERE d_w_id = w AND d_id = d
  RETURNING d_name INTO district_name;
  IF NOT FOUND THEN RAISE EXCEPTION 'pay_district changed 0 rows, not 1'; END IF;
  IF c IS NULL THEN
    SELECT array_agg(c_id ORDER BY c_first) INTO namesakes
    FROM customer{t} WHERE c_w_id = cw AND c_d_id = cd AND c_last = last_name;
    c := namesakes[(cardinality(namesakes) + 1) / 2];
    IF c IS NULL THEN RAISE EXCEPTION 'no customer has the last name that pays'; END IF;
  END IF;
  UPDATE customer{t} SET c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = CASE c_credit WHEN 'BC'
      THEN substr(concat_ws(' ', c, cd, cw, d, w, amount, c_data), 1, 500) ELSE c_data END
  WHERE c_w_id = cw AND c_d_id = cd AND c_id = c
  RETURNING c_balance INTO balance;
  IF NOT FOUND THEN RAISE EXCEPTION 'pay_customer changed 0 rows, not 1'; END IF;
  INSERT INTO history{t} (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
  VALUES (c, cd, cw, d, w, paid, amount, concat(warehouse_name, '    ', district_name));
  IF NOT FOUND THEN RAISE EXCEPTION 'insert_history changed 0 rows, not 1'; END IF;
END $$

-- name: call_payment
CALL tiermark_payment{t}(:w, :d, :cw, :cd, :c, :last, :amount, :at, NULL)

-- name: create_order_status_procedure
CREATE PROCEDURE tiermark_order_status{t}(
  w INTEGER, d INTEGER, INOUT c INTEGER, last_name VARCHAR,
  INOUT balance NUMERIC, INOUT o INTEGER, INOUT carrier INTEGER, INOUT total NUMERIC)
LANGUAGE plpgsql AS $$
DECLARE
  namesakes INTEGER[];
  lines INTEGER;
BEGIN
  IF c IS NULL THEN
    SELECT array_agg(c_id ORDER BY c_first) INTO namesakes
    FROM customer{t} WHERE c_w_id = w AND c_d_id = d AND c_last = last_name;
    c := namesakes[(cardinality(namesakes) + 1) / 2];
    IF c IS NULL THEN RAISE EXCEPTION 'no customer has the last name asked for'; END IF;
  END IF;
  SELECT c_balance INTO balance FROM customer{t} WHERE c_w_id = w AND c_d_id = d AND c_id = c;
  IF NOT FOUND THEN RAISE EXCEPTION 'customer_by_id found 0 rows, not 1'; END IF;
  SELECT o_id, o_carrier_id INTO o, carrier
  FROM orders{t} WHERE o_w_id = w AND o_d_id = d AND o_c_id = c ORDER BY o_id DESC LIMIT 1;
  IF NOT FOUND THEN RAISE EXCEPTION 'last_order found 0 rows, not 1'; END IF;
  SELECT COUNT(*), SUM(ol_amount) INTO lines, total
  FROM order_line{t} WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o;
  IF lines NOT BETWEEN 5 AND 15 THEN
    RAISE EXCEPTION 'order_lines found % rows, not 5 to 15', lines;
  END IF;
END $$

-- name: call_order_status
CALL tiermark_order_status{t}(:w, :d, :c, :last, NULL, NULL, NULL, NULL)

-- Another delivery may take the oldest new order while this one waits for its
-- lock: at read committed nothing is found then although there are more, so it
-- is asked for again.
-- name: create_delivery_procedure
CREATE PROCEDURE tiermark_delivery{t}(
  w INTEGER, carrier INTEGER, delivered TIMESTAMP, INOUT skipped INTEGER)
LANGUAGE plpgsql AS $$
DECLARE
  o INTEGER;
  c INTEGER;
  lines INTEGER;
  total NUMERIC;
BEGIN
  skipped := 0;
  FOR d IN 1 .. 10 LOOP
    FOR attempt IN 0 .. 100 LOOP
      SELECT no_o_id INTO o FROM new_order{t} WHERE no_w_id = w AND no_d_id = d
      ORDER BY no_o_id LIMIT 1 FOR UPDATE;
      EXIT WHEN o IS NOT NULL
        OR NOT EXISTS (SELECT FROM new_order{t} WHERE no_w_id = w AND no_d_id = d);
      IF attempt = 100 THEN
        RAISE EXCEPTION 'others took the oldest new order 100 times in turn'
          USING ERRCODE = 'serialization_failure';
      END IF;
    END LOOP;
    IF o IS NULL THEN
      skipped := skipped + 1;
      CONTINUE;
    END IF;
    DELETE FROM new_order{t} WHERE no_w_id = w AND no_d_id = d AND no_o_id = o;
    IF NOT FOUND THEN RAISE EXCEPTION 'delete_new_order changed 0 rows, not 1'; END IF;
    UPDATE orders{t} SET o_carrier_id = carrier WHERE o_w_id = w AND o_d_id = d AND o_id = o
    RETURNING o_c_id INTO c;
    IF NOT FOUND THEN RAISE EXCEPTION 'deliver_order changed 0 rows, not 1'; END IF;
    WITH line AS (
      UPDATE order_line{t} SET ol_delivery_d = delivered
      WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id = o
      RETURNING ol_amount)
    SELECT COUNT(*), SUM(ol_amount) INTO lines, total FROM line;
    IF lines NOT BETWEEN 5 AND 15 THEN
      RAISE EXCEPTION 'deliver_lines changed % rows, not 5 to 15', lines;
    END IF;
    UPDATE customer{t} SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
    WHERE c_w_id = w AND c_d_id = d AND c_id = c;
    IF NOT FOUND THEN RAISE EXCEPTION 'credit_customer changed 0 rows, not 1'; END IF;
  END LOOP;
END $$

-- name: call_delivery
CALL tiermark_delivery{t}(:w, :carrier, :at, NULL)

-- name: create_stock_level_procedure
CREATE PROCEDURE tiermark_stock_level{t}(
  w INTEGER, d INTEGER, threshold INTEGER, INOUT low INTEGER)
LANGUAGE plpgsql AS $$
DECLARE
  next_o INTEGER;
BEGIN
  SELECT d_next_o_id INTO next_o FROM district{t} WHERE d_w_id = w AND d_id = d;
  IF NOT FOUND THEN RAISE EXCEPTION 'next_order_number found 0 rows, not 1'; END IF;
  SELECT COUNT(DISTINCT s_i_id) INTO low
  FROM order_line{t}, stock{t}
  WHERE ol_w_id = w AND ol_d_id = d AND ol_o_id BETWEEN next_o - 20 AND next_o - 1
    AND s_w_id = w AND s_i_id = ol_i_id AND s_quantity < threshold;
END $$

-- name: call_stock_level
CALL tiermark_stock_level{t}(:w, :d, :threshold, NULL)
