-- What idle.toml sends beside the shipped statements.

-- name: wait
SELECT 1 FROM pg_sleep(2)
