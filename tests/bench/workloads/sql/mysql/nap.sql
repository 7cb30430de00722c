-- name: nap
SELECT SLEEP(0.008)
