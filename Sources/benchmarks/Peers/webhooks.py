# Posts signed webhooks to a receiver of its own with aiohttp, 64 at once, from memory: no ledger, no record, no order.
import asyncio
import base64
import hashlib
import hmac
import multiprocessing
import sys
import time

import aiohttp

count, secret = int(sys.argv[1]), base64.b64decode(sys.argv[2].removeprefix("whsec_"))


def serve(queue):
    from aiohttp import web

    async def take(request):
        await request.read()
        return web.Response(status=204)

    async def run():
        app = web.Application()
        app.router.add_post("/events", take)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        queue.put(site._server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(run())


async def post(url):
    numbers = iter(range(count))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=64)) as session:
        async def worker():
            for number in numbers:
                body = ('{"specversion":"1.0","id":"l/%d","source":"urn:uuid:l","type":"com.cheer-supports.level.reached.v1",'
                        '"subject":"u%d","time":"2026-11-20T12:00:00Z","datacontenttype":"application/json",'
                        '"data":{"level":2,"effective":"1970-01-01T00:00:00Z"}}' % (number, number % 5000)).encode()
                stamp = str(int(time.time()))
                code = hmac.new(secret, f"l/{number}.{stamp}.".encode() + body, hashlib.sha256).digest()
                headers = {"Content-Type": "application/cloudevents+json", "webhook-id": f"l/{number}",
                           "webhook-timestamp": stamp, "webhook-signature": "v1," + base64.b64encode(code).decode()}
                async with session.post(url, data=body, headers=headers) as answer:
                    assert answer.status == 204
        await asyncio.gather(*(worker() for _ in range(64)))


queue = multiprocessing.Queue()
server = multiprocessing.Process(target=serve, args=(queue,), daemon=True)
server.start()
address = f"http://127.0.0.1:{queue.get()}/events"
while sys.stdin.readline():
    start = time.perf_counter()
    asyncio.run(post(address))
    print(time.perf_counter() - start, count, flush=True)
server.terminate()
