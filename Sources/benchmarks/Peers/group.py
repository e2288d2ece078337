# Counts the records of a ledger by type with DuckDB, all threads it wants; opening the database is not measured.
import sys
import time

import duckdb

files, columns = sys.argv[1:]
database = duckdb.connect()
query = f"SELECT type, count(*) FROM read_ndjson('{files}'{columns}) GROUP BY type"
while sys.stdin.readline():
    start = time.perf_counter()
    rows = database.execute(query).fetchall()
    print(time.perf_counter() - start, sum(row[1] for row in rows), flush=True)
