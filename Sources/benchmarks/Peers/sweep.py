# Asks every path of a file once over 64 connections, as a Python service would: aiohttp, answers decoded, none judged.
import asyncio
import json
import sys
import time

import aiohttp


async def work(session, paths, counts):
    for path in paths:
        async with session.get(path) as answer:
            body = await answer.read()
            if answer.status not in (200, 204):
                raise RuntimeError(f"{path}: {answer.status}")
            if body:
                json.loads(body)
            counts[0] += 1


async def main(base, file, token):
    paths = [base + line.strip() for line in open(file)]
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    connector = aiohttp.TCPConnector(limit=64)
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:
        while sys.stdin.readline():
            counts = [0]
            shared = iter(paths)
            start = time.perf_counter()
            await asyncio.gather(*(work(session, shared, counts) for _ in range(64)))
            print(time.perf_counter() - start, counts[0], flush=True)


asyncio.run(main(*sys.argv[1:]))
