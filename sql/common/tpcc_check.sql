-- What holds of TPC-C's tables, for `tiermark check`, on all engines. Each block
-- returns the keys that break it, so that no row is good, and is one statement:
-- what it reads is of one moment. Numbers of both sides meet in a UNION ALL, one
-- of them negative: where a row has no partner on the other side, their sum is
-- not 0 either, and there is no NULL to compare with.
--
-- `:w` is a warehouse. Blocks without it read tables that no key leads into by
-- warehouse: once a table set is then less work than once a warehouse.

-- name: condition_1
SELECT w
FROM (
  SELECT w_id AS w, w_ytd AS difference FROM warehouse{t} WHERE w_id = :w
  UNION ALL
  SELECT d_w_id, -SUM(d_ytd) FROM district{t} WHERE d_w_id = :w GROUP BY d_w_id
) AS sides
GROUP BY w HAVING SUM(difference) <> 0

-- 0 stands for no order, and no new order is no exception.
-- name: condition_2
SELECT w, d
FROM (
  SELECT d_w_id AS w, d_id AS d, d_next_o_id - 1 AS taken, 0 AS last_order, 0 AS last_new
  FROM district{t} WHERE d_w_id = :w
  UNION ALL
  SELECT o_w_id, o_d_id, 0, MAX(o_id), 0
  FROM orders{t} WHERE o_w_id = :w GROUP BY o_w_id, o_d_id
  UNION ALL
  SELECT no_w_id, no_d_id, 0, 0, MAX(no_o_id)
  FROM new_order{t} WHERE no_w_id = :w GROUP BY no_w_id, no_d_id
) AS sides
GROUP BY w, d
HAVING MAX(taken) <> MAX(last_order) OR MAX(last_new) NOT IN (0, MAX(taken))
ORDER BY w, d

-- name: condition_3
SELECT no_w_id, no_d_id FROM new_order{t} WHERE no_w_id = :w
GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)
ORDER BY no_w_id, no_d_id

-- name: condition_4
SELECT w, d
FROM (
  SELECT o_w_id AS w, o_d_id AS d, SUM(o_ol_cnt) AS difference
  FROM orders{t} WHERE o_w_id = :w GROUP BY o_w_id, o_d_id
  UNION ALL
  SELECT ol_w_id, ol_d_id, -COUNT(*)
  FROM order_line{t} WHERE ol_w_id = :w GROUP BY ol_w_id, ol_d_id
) AS sides
GROUP BY w, d HAVING SUM(difference) <> 0
ORDER BY w, d

-- name: condition_5
SELECT w, d, o
FROM (
  SELECT o_w_id AS w, o_d_id AS d, o_id AS o, 1 AS difference
  FROM orders{t} WHERE o_w_id = :w AND o_carrier_id IS NULL
  UNION ALL
  SELECT no_w_id, no_d_id, no_o_id, -1 FROM new_order{t} WHERE no_w_id = :w
) AS sides
GROUP BY w, d, o HAVING SUM(difference) <> 0
ORDER BY w, d, o

-- name: condition_6
SELECT w, d, o
FROM (
  SELECT o_w_id AS w, o_d_id AS d, o_id AS o, o_ol_cnt AS difference
  FROM orders{t} WHERE o_w_id = :w
  UNION ALL
  SELECT ol_w_id, ol_d_id, ol_o_id, -COUNT(*)
  FROM order_line{t} WHERE ol_w_id = :w GROUP BY ol_w_id, ol_d_id, ol_o_id
) AS sides
GROUP BY w, d, o HAVING SUM(difference) <> 0
ORDER BY w, d, o

-- A line without its order is an exception, delivered or not. An order without
-- lines breaks condition 6.
-- name: condition_7
SELECT ol_w_id, ol_d_id, ol_o_id, ol_number
FROM order_line{t}
LEFT JOIN orders{t} ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE ol_w_id = :w
  AND (o_id IS NULL OR (o_carrier_id IS NULL) <> (ol_delivery_d IS NULL))
ORDER BY ol_w_id, ol_d_id, ol_o_id, ol_number

-- name: condition_8
SELECT w
FROM (
  SELECT w_id AS w, w_ytd AS difference FROM warehouse{t}
  UNION ALL
  SELECT h_w_id, -SUM(h_amount) FROM history{t} GROUP BY h_w_id
) AS sides
GROUP BY w HAVING SUM(difference) <> 0
ORDER BY w

-- name: condition_9
SELECT w, d
FROM (
  SELECT d_w_id AS w, d_id AS d, d_ytd AS difference FROM district{t}
  UNION ALL
  SELECT h_w_id, h_d_id, -SUM(h_amount) FROM history{t} GROUP BY h_w_id, h_d_id
) AS sides
GROUP BY w, d HAVING SUM(difference) <> 0
ORDER BY w, d

-- name: condition_10
SELECT w, d, c
FROM (
  SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance AS difference FROM customer{t}
  UNION ALL
  SELECT o_w_id, o_d_id, o_c_id, -SUM(ol_amount)
  FROM orders{t}
  JOIN order_line{t} ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
  WHERE ol_delivery_d IS NOT NULL
  GROUP BY o_w_id, o_d_id, o_c_id
  UNION ALL
  SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount)
  FROM history{t} GROUP BY h_c_w_id, h_c_d_id, h_c_id
) AS sides
GROUP BY w, d, c HAVING SUM(difference) <> 0
ORDER BY w, d, c

-- A district is there with 0, lest one without any order pass.
-- name: condition_11
SELECT w, d
FROM (
  SELECT d_w_id AS w, d_id AS d, 0 AS delivered FROM district{t} WHERE d_w_id = :w
  UNION ALL
  SELECT o_w_id, o_d_id, COUNT(*) FROM orders{t} WHERE o_w_id = :w GROUP BY o_w_id, o_d_id
  UNION ALL
  SELECT no_w_id, no_d_id, -COUNT(*)
  FROM new_order{t} WHERE no_w_id = :w GROUP BY no_w_id, no_d_id
) AS sides
GROUP BY w, d HAVING SUM(delivered) <> 2100
ORDER BY w, d

-- name: condition_12
SELECT w, d, c
FROM (
  SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance + c_ytd_payment AS difference
  FROM customer{t} WHERE c_w_id = :w
  UNION ALL
  SELECT o_w_id, o_d_id, o_c_id, -SUM(ol_amount)
  FROM orders{t}
  JOIN order_line{t} ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
  WHERE o_w_id = :w AND ol_w_id = :w AND ol_delivery_d IS NOT NULL
  GROUP BY o_w_id, o_d_id, o_c_id
) AS sides
GROUP BY w, d, c HAVING SUM(difference) <> 0
ORDER BY w, d, c

-- Not of the specification, but true of its transactions. What was loaded has
-- the orders 1 to 3000 of a district, those from 2101 on not delivered.

-- name: order_numbers
SELECT w, d
FROM (
  SELECT d_w_id AS w, d_id AS d, d_next_o_id - 1 AS difference
  FROM district{t} WHERE d_w_id = :w
  UNION ALL
  SELECT o_w_id, o_d_id, -COUNT(*) FROM orders{t} WHERE o_w_id = :w GROUP BY o_w_id, o_d_id
) AS sides
GROUP BY w, d HAVING SUM(difference) <> 0
ORDER BY w, d

-- name: all_local
SELECT w, d, o
FROM (
  SELECT o_w_id AS w, o_d_id AS d, o_id AS o, 1 - o_all_local AS difference
  FROM orders{t} WHERE o_w_id = :w AND o_all_local <> 1
  UNION ALL
  SELECT DISTINCT ol_w_id, ol_d_id, ol_o_id, -1
  FROM order_line{t} WHERE ol_w_id = :w AND ol_supply_w_id <> ol_w_id
) AS sides
GROUP BY w, d, o HAVING SUM(difference) <> 0
ORDER BY w, d, o

-- name: line_amounts
SELECT ol_w_id, ol_d_id, ol_o_id, ol_number
FROM order_line{t} LEFT JOIN item{t} ON i_id = ol_i_id
WHERE ol_w_id = :w AND ol_o_id > 3000
  AND (i_id IS NULL OR ol_amount <> ol_quantity * i_price)
ORDER BY ol_w_id, ol_d_id, ol_o_id, ol_number

-- name: delivery_counts
SELECT w, d, c
FROM (
  SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_delivery_cnt AS difference
  FROM customer{t} WHERE c_w_id = :w AND c_delivery_cnt <> 0
  UNION ALL
  SELECT o_w_id, o_d_id, o_c_id, -COUNT(*)
  FROM orders{t} WHERE o_w_id = :w AND o_id > 2100 AND o_carrier_id IS NOT NULL
  GROUP BY o_w_id, o_d_id, o_c_id
) AS sides
GROUP BY w, d, c HAVING SUM(difference) <> 0
ORDER BY w, d, c

-- name: payment_counts
SELECT w, d, c
FROM (
  SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_payment_cnt AS difference FROM customer{t}
  UNION ALL
  SELECT h_c_w_id, h_c_d_id, h_c_id, -COUNT(*)
  FROM history{t} GROUP BY h_c_w_id, h_c_d_id, h_c_id
) AS sides
GROUP BY w, d, c HAVING SUM(difference) <> 0
ORDER BY w, d, c

-- 91 is added to what would fall below 10, so it stays within what was loaded.
-- name: stock_quantity
SELECT s_w_id, s_i_id FROM stock{t} WHERE s_w_id = :w AND s_quantity NOT BETWEEN 10 AND 100
ORDER BY s_w_id, s_i_id

-- By the warehouse that supplies, whose orders may be another's.
-- name: stock_counts
SELECT w, i
FROM (
  SELECT s_w_id AS w, s_i_id AS i, s_ytd AS ytd, s_order_cnt AS orders, s_remote_cnt AS remote
  FROM stock{t} WHERE s_ytd <> 0 OR s_order_cnt <> 0 OR s_remote_cnt <> 0
  UNION ALL
  SELECT ol_supply_w_id, ol_i_id, -SUM(ol_quantity), -COUNT(*),
    -SUM(CASE WHEN ol_supply_w_id <> ol_w_id THEN 1 ELSE 0 END)
  FROM order_line{t} WHERE ol_o_id > 3000
  GROUP BY ol_supply_w_id, ol_i_id
) AS sides
GROUP BY w, i HAVING SUM(ytd) <> 0 OR SUM(orders) <> 0 OR SUM(remote) <> 0
ORDER BY w, i
