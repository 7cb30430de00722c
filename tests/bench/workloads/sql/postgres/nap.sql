-- name: nap
SELECT pg_sleep(0.008)
