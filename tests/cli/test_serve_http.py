"""`matcha serve --http`: the same requests and answers by HTTP, its limits, and its page."""

import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from cli import LIMIT_S, MATCHA, ROOT, SLOW, TRIANGLE, CliTest, main

SMALL = "tests/graphs/random-20-seed2.txt"
TOKEN = "0123456789abcdef0123"
JSON = {"Content-Type": "application/json"}


class HttpServer:
    """A server on a port that it chose."""

    def __init__(self, test, *args, address="0"):
        self.process = subprocess.Popen([MATCHA, "serve", *args, "--device", "cpu", "--http", address], cwd=ROOT,
                                        env=test.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.end)
        line = self.process.stdout.readline()
        test.assertTrue(line, self.process.stderr.read() if not line else "")
        self.ready = json.loads(line)
        self.url = self.ready["url"]
        self.port = int(self.url.rsplit(":", 1)[1]) if self.url.startswith("http") else None

    def get(self, path, body=None, headers=None):
        """The code, the headers and the body of a response."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers={**(JSON if data else {}), **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_S) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def ask(self, request, **headers):
        return json.loads(self.get("/v1/ask", request, headers)[2])

    def raw(self, text, timeout=LIMIT_S):
        """All bytes that come back for some bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as connection:
            connection.sendall(text)
            parts = []
            while part := connection.recv(1 << 16):
                parts.append(part)
            return b"".join(parts)

    def metric(self, name):
        lines = self.get("/metrics")[2].decode().splitlines()
        return float(next(line for line in lines if line.startswith(name + " ") or line.startswith(name + "{")).rsplit(" ", 1)[1])

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class HttpTest(CliTest):
    def until(self, holds):
        give_up = time.monotonic() + LIMIT_S
        while not holds():
            self.assertLess(time.monotonic(), give_up)
            time.sleep(0.01)

    def test_answers_are_those_of_lines(self):
        requests = [{"id": 1, "pattern": "triangle"}, {"id": "two", "pattern": "wedge", "options": {"induced": "vertex"}},
                    {"id": 3, "pattern": "edge", "options": {"matches": True, "limit": 3}}, {"id": 4, "pattern": "hous"},
                    {"id": 5, "program": pathlib.Path(ROOT, TRIANGLE).read_text()}, {"id": 6, "pattern": "motif:3"},
                    {"id": 7, "patern": "x"}, {"id": 8, "pattern": "edge", "check": True},
                    {"id": 9, "file": "std.clique", "options": {"entry": "triangles"}}]  # fmt: skip
        server = HttpServer(self, SMALL)
        for wanted in self.served(requests, SMALL):
            code, _, body = server.get("/v1/ask", next(one for one in requests if one["id"] == wanted["id"]))
            found = json.loads(body)
            for answer in (found, wanted):
                answer.pop("ms", None)
            self.assertEqual((found, code), (wanted, 400 if "errors" in wanted else 200))
        self.assertEqual(server.ready["graph"], json.loads(server.get("/v1/graphs")[2])["graph"])

    def test_rows(self):
        server = HttpServer(self, SMALL)
        code, headers, body = server.get("/v1/rows", {"id": 5, "pattern": "triangle"})
        head, *rows, tail = map(json.loads, body.splitlines())
        self.assertEqual((code, headers["Content-Type"]), (200, "application/x-ndjson"))
        self.assertEqual((head["id"], head["columns"], tail["complete"], tail["code"]), (5, ["v0", "v1", "v2"], True, 0))
        self.assertEqual(len(rows), tail["rows"])
        self.assertEqual(len(rows), server.ask({"pattern": "triangle"})["result"])
        self.assertEqual(sorted(rows), sorted(server.ask({"pattern": "triangle", "options": {"matches": True}})["result"]))
        tail = json.loads(server.get("/v1/rows", {"pattern": "edge", "options": {"limit": 2}})[2].splitlines()[-1])
        self.assertEqual((tail["rows"], tail["complete"]), (2, False))
        code, _, body = server.get("/v1/rows", {"program": "def main(G: Graph) -> int:\n    return 7\n"})
        self.assertEqual((code, json.loads(body)["status"]), (400, "usage"))
        many = HttpServer(self, self.generate("many.mtg", "erdos-renyi", "-n", "3000", "-m", "40000"))
        body = many.get("/v1/rows", {"pattern": "wedge"})[2]
        self.assertEqual(body.count(b"\n"), many.ask({"pattern": "wedge"})["result"] + 2)
        self.assertGreater(len(body), 1 << 20)

    def test_queries(self):
        file = self.write("g.txt", "1 2 knows\n2 1 knows\n2 3 owns\n")
        server = HttpServer(self, file, "--directed", "--edge-labels", "--keep-loops")
        self.assertEqual(server.ask({"query": "MATCH (a)-[:knows]->(b)-[:owns]->(c) RETURN count(*)"})["result"], 1)
        lines = server.get("/v1/rows", {"query": "SELECT ?c ?a { ?a <knows> ?b . ?b <owns> ?c }"})[2].splitlines()
        self.assertEqual([json.loads(one) for one in lines[1:-1]], [[3, 1]])

    def test_plans_and_pictures(self):
        server = HttpServer(self, SMALL)
        answer = server.ask({"pattern": "house", "explain": True})
        self.assertEqual((answer["code"], "engines" in answer["plan"]), (0, True))
        self.assertTrue(answer["picture"].startswith("<svg"), answer["picture"][:40])
        answer = server.ask({"pattern": "triangle", "picture": True, "options": {"matches": True, "limit": 3}})
        self.assertEqual(len(answer["result"]), 3)
        self.assertTrue(answer["picture"].startswith("<svg"))
        wrong = server.ask({"pattern": "hous", "explain": True})
        self.assertEqual((wrong["status"], wrong["errors"][0]["id"]), ("query", "pattern-name"))

    def test_one_of_several_graphs(self):
        old, new = self.write("old.txt", "1 2\n2 3\n3 1\n"), self.write("new.txt", "1 2\n2 3\n3 1\n3 4\n4 1\n")
        server = HttpServer(self, "--in", f"old={old}", "--in", f"new={new}")
        asked = [server.ask({"pattern": "triangle", "graph": name})["result"] for name in ("old", "new")]
        self.assertEqual(asked, [1, 2])
        self.assertEqual(server.ask({"pattern": "motif:3", "graph": "new"})["result"], [2, 2])
        self.assertIn("no graph is called", server.ask({"pattern": "edge", "graph": "none"})["errors"][0]["message"])

    def test_clients_at_once(self):
        server = HttpServer(self, SMALL)
        names = ["triangle", "wedge", "edge", "square", "clique:4", "path:4"]
        wanted = {name: server.ask({"pattern": name})["result"] for name in names}
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            found = pool.map(lambda i: (names[i % 6], server.ask({"pattern": names[i % 6]})), range(120))
            for name, answer in found:
                self.assertEqual(answer["result"], wanted[name])
        self.assertEqual(server.metric('matcha_requests_total{status="ok"}'), 126)

    def test_a_client_that_goes_ends_its_run(self):
        server = HttpServer(self, self.generate("slow.mtg", "erdos-renyi", "-n", "20000", "-m", "100000"))
        gone = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT_S)
        gone.request("POST", "/v1/ask", json.dumps({"id": 1, "program": SLOW}), JSON)
        self.until(lambda: server.metric("matcha_running_requests") == 1)
        gone.close()
        self.until(lambda: server.metric("matcha_running_requests") == 0)
        self.assertEqual(server.ask({"pattern": "edge"})["result"], 100000)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waits = pool.submit(server.ask, {"id": 2, "program": SLOW})
            self.until(lambda: server.ask({"cancel": 2})["cancelled"])
            self.assertEqual(waits.result()["status"], "cancelled")

    def test_clients_take_turns(self):
        server = HttpServer(self, self.generate("slow.mtg", "erdos-renyi", "-n", "20000", "-m", "100000"))
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            slow = {"program": SLOW, "options": {"timeout": 0.5}}
            jobs = [pool.submit(server.ask, {"id": i, **slow}) for i in range(10)]
            self.until(lambda: server.metric("matcha_waiting_requests") >= 8)
            other = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT_S, source_address=("127.0.0.2", 0))
            other.request("POST", "/v1/ask", json.dumps({"id": 9, "pattern": "edge"}), JSON)  # An id of another client.
            self.assertEqual(json.loads(other.getresponse().read())["result"], 100000)
            self.assertGreaterEqual(server.metric("matcha_waiting_requests"), 3)
            other.request("POST", "/v1/ask", json.dumps({"cancel": 9}), JSON)
            self.assertFalse(json.loads(other.getresponse().read())["cancelled"], "it is not its own")
            other.close()
            for i in range(10):
                server.ask({"cancel": i})
            self.assertLessEqual({job.result()["status"] for job in jobs}, {"timeout", "cancelled"})

    def test_limits(self):
        graph = self.generate("slow.mtg", "erdos-renyi", "-n", "20000", "-m", "100000")
        server = HttpServer(self, graph, "--max-rows", "5", "--max-seconds", "0.3")
        answer = server.ask({"program": SLOW, "options": {"timeout": 100}})
        self.assertEqual((answer["status"], answer["code"], answer["complete"]), ("timeout", 124, False))
        answer = server.ask({"pattern": "edge", "options": {"matches": True, "limit": 100}})
        self.assertEqual((len(answer["result"]), answer["complete"]), (5, False))
        self.assertEqual(server.ask({"pattern": "edge"})["result"], 100000)
        self.assertEqual(json.loads(server.get("/v1/rows", {"pattern": "edge"})[2].splitlines()[-1])["rows"], 5)
        server = HttpServer(self, graph)
        with concurrent.futures.ThreadPoolExecutor(17) as pool:
            jobs = [pool.submit(server.get, "/v1/ask", {"id": 0, "program": SLOW})]
            self.until(lambda: server.metric("matcha_running_requests") == 1)
            jobs += [pool.submit(server.get, "/v1/ask", {"id": i, "program": SLOW}) for i in range(1, 17)]
            self.until(lambda: server.metric("matcha_waiting_requests") == 16)
            code, headers, body = server.get("/v1/ask", {"id": "late", "pattern": "edge"})
            self.assertEqual((code, headers["Retry-After"], json.loads(body)["id"]), (429, "1", "late"), "16 of a client wait at most")
            code, _, body = server.get("/v1/ask", {"id": 3, "pattern": "edge"})
            self.assertEqual((code, json.loads(body)["id"]), (400, 3))
            for i in range(17):
                self.assertTrue(server.ask({"cancel": i})["cancelled"])
            self.assertEqual({job.result()[0] for job in jobs}, {200})

    def test_files_lie_below_a_folder(self):
        inside = self.folder / "inside"
        inside.mkdir()
        program = "def main(G: Graph) -> int:\n    return 41\n"
        (inside / "ok.mt").write_text(program)
        outside = self.write("outside.mt", program)
        (inside / "link.mt").symlink_to(outside)
        server = HttpServer(self, SMALL, "--folder", str(inside))
        self.assertEqual(server.ask({"file": "ok.mt"})["result"], 41)
        for name in ("../outside.mt", outside, "link.mt", "absent.mt", "/etc/passwd", ".", "/dev/zero"):
            answer = server.ask({"file": name})
            self.assertEqual((answer["status"], answer["errors"][0]["message"]), ("usage", "the folder of this server has no such program"), name)
        server = HttpServer(self, SMALL)
        for request in ({"file": str(inside / "ok.mt")}, {"pattern": "/etc/passwd"}, {"file": "/etc/passwd"}):
            answer = server.ask(request)
            self.assertIn("errors", answer)
            self.assertNotIn("root", json.dumps(answer))

    def test_tokens_and_origins(self):
        self.fails(2, "serve", SMALL, "--http", "0.0.0.0:0", says="there is no token")
        self.fails(3, "serve", SMALL, "--http", "nonsense:port:0", says="is not an address")
        short = self.write("short", "abc\n")
        self.fails(2, "serve", SMALL, "--http", "0", "--token-file", short, says="16 or more")
        secret = self.write("secret", TOKEN + "\n")
        server = HttpServer(self, SMALL, "--token-file", secret, address="0.0.0.0:0")
        server.url = f"http://127.0.0.1:{server.port}"
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer " + TOKEN[:-1] + "x"}, {"Authorization": TOKEN}):
            self.assertEqual([server.get(path, headers=headers)[0] for path in ("/v1/graphs", "/metrics")], [401, 401])
            self.assertEqual(server.get("/v1/ask", {"pattern": "edge"}, headers)[0], 401)
        self.assertEqual([server.get(path)[0] for path in ("/healthz", "/")], [200, 200])
        right = {"Authorization": "Bearer " + TOKEN}
        self.assertEqual(server.get("/v1/ask", {"pattern": "edge"}, right)[0], 200)
        # Without a token nothing but the head of a request is read.
        found = server.raw(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n")
        self.assertTrue(found.startswith(b"HTTP/1.1 401 "), found)
        for words in (["--http", ""], ["--http", "0", "--token-file", ""], ["--http", "0", "--max-rows", "-1"]):
            self.fails(2, "serve", SMALL, *words, says=[words[-2]])
        self.fails(3, "serve", SMALL, "--http", "99999", says="a port is a number up to 65535")
        # Pages of other sites.
        server = HttpServer(self, SMALL)
        for headers in ({"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example"}, {"Host": "127.evil"}, {"Origin": "http://evil.example"},
                        {"Origin": "null"}):
            self.assertEqual(server.get("/v1/ask", {"pattern": "edge"}, headers)[0], 403, headers)
        self.assertEqual(server.get("/v1/ask", {"pattern": "edge"}, {"Origin": server.url})[0], 200)
        self.assertEqual(server.get("/v1/ask", b"{}", {"Content-Type": "text/plain"})[0], 415)
        for kind, code in (("Application/JSON; charset=utf-8", 200), ("application/jsonp", 415)):
            self.assertEqual(server.get("/v1/ask", b'{"pattern": "edge"}', {"Content-Type": kind})[0], code)
        self.assertEqual(server.get("/v1/ask", {"pattern": "edge"}, {"Host": "LocalHost"})[0], 200)

    def test_socket_in_a_folder(self):
        path = self.path("s.sock")
        server = HttpServer(self, SMALL, address="unix:" + path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            self.assertIn(b"200 OK", connection.recv(4096))
        self.fails(3, "serve", SMALL, "--http", "unix:" + path, says="in use")
        server.process.kill()
        server.process.wait()
        again = HttpServer(self, SMALL, address="unix:" + path)  # Over the socket that was left.
        # A server that ends leaves the socket of its successor.
        os.unlink(path)
        successor = HttpServer(self, SMALL, address="unix:" + path)
        again.process.send_signal(signal.SIGTERM)
        self.assertEqual(again.process.wait(LIMIT_S), 0)
        self.assertTrue(os.path.exists(path))
        successor.process.send_signal(signal.SIGTERM)
        self.assertEqual(successor.process.wait(LIMIT_S), 0)
        self.assertFalse(os.path.exists(path))

    def test_drains(self):
        graph = self.generate("slow.mtg", "erdos-renyi", "-n", "20000", "-m", "100000")
        for options, wanted in ((["--drain", "60"], "timeout"), (["--drain", "0"], "cancelled")):
            server = HttpServer(self, graph, *options)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                request = {"program": SLOW, "options": {"timeout": 2 if wanted == "timeout" else 100}}
                job = pool.submit(server.ask, request)
                self.until(lambda server=server: server.metric("matcha_running_requests") == 1)
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(job.result()["status"], wanted)
            self.assertEqual(server.process.wait(LIMIT_S), 0)
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.1", server.port), 5)

    def test_metrics_and_log(self):
        server = HttpServer(self, SMALL, "--access-log")
        self.assertEqual(json.loads(server.get("/healthz")[2]), {"status": "ok"})
        server.ask({"pattern": "triangle"})
        server.ask({"pattern": "hous"})
        self.assertEqual(server.metric('matcha_requests_total{status="ok"}'), 1)
        self.assertEqual(server.metric('matcha_requests_total{status="query"}'), 1)
        self.assertEqual(server.metric("matcha_graph_vertices"), 20)
        self.assertGreater(server.metric("process_resident_memory_bytes"), 1e6)
        text = server.get("/metrics")[2].decode()
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"\})? \d+(\.\d+)?)$')
        server.raw(b"GET / HTTP/1.1\r\n\r\n")
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(LIMIT_S), 0)
        lines = [json.loads(line) for line in server.process.stderr.read().splitlines() if line.startswith(b"{")]
        # A line is written after its response, so lines of two connections come in any order.
        found = sorted((one.get("path", ""), one["code"]) for one in lines)
        self.assertEqual(found, [("", 400), ("/healthz", 200), *[("/metrics", 200)] * 5, ("/v1/ask", 200), ("/v1/ask", 400)])

    def test_times_that_no_clock_holds(self):
        server = HttpServer(self, SMALL, "--max-seconds", "1e300", "--drain", "1e300")
        self.assertEqual(server.ask({"pattern": "triangle", "options": {"timeout": 1e300}})["status"], "ok")
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(LIMIT_S), 0)
        for words in (["--max-seconds", "nan"], ["--max-seconds", "0"], ["--drain", "-1"], ["--drain", "nan"]):
            self.fails(2, "serve", SMALL, "--http", "0", *words, says=[words[0]])

    def test_page(self):
        server = HttpServer(self, SMALL)
        for path, kind in (("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript")):
            code, headers, body = server.get(path)
            self.assertEqual(code, 200)
            self.assertTrue(headers["Content-Type"].startswith(kind), headers)
            self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.assertNotIn(b"http://", body.replace(b"http://www.w3.org", b""))
            self.assertNotIn(b"https://", body)
        self.assertIn("triangle", json.loads(server.get("/v1/graphs")[2])["patterns"])

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_page_reads_numbers(self):
        """Whole numbers beyond 53 bits keep their digits; answers with fractions of many digits are read."""
        source = pathlib.Path(ROOT, "server/page/page.js").read_text()
        parse = source[source.index("function parse("):source.index("async function ask")]
        server = HttpServer(self, SMALL)
        plan = server.get("/v1/ask", {"pattern": "house", "explain": True})[2].decode()
        text = '{"a": 0.04022557003325591, "b": 12345678901234567890, "c": [-12345678901234567, 1.25e-9], "d": "1234567890123456789 \\" 5"}'
        script = parse + f"console.log(JSON.stringify(parse({json.dumps(text)}))); parse({json.dumps(plan)});"
        done = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=LIMIT_S, check=True)
        self.assertEqual(json.loads(done.stdout), {"a": 0.04022557003325591, "b": "12345678901234567890", "c": ["-12345678901234567", 1.25e-9],
                                                   "d": '1234567890123456789 " 5'})

    def test_malformed_requests(self):
        """Whatever comes, there is a response or an end, and the next request is served."""
        server = HttpServer(self, SMALL)
        head = "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        cases = [
            (b"GET / HTTP/1.1\r\n\r\n", 400),  # No host.
            (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
            (b"GET  HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"G(T / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20000 + b"\r\n\r\n", 431),
            (b"X" * 40000, 431),
            (head.encode() + b"\r\n", 411),
            (head.encode() + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 501),
            (head.encode() + b"Content-Length: -1\r\n\r\n", 400),
            (head.encode() + b"Content-Length: 1x\r\n\r\n", 400),
            (head.encode() + b"Content-Length: 99999999999999999999999\r\n\r\n", 400),
            (head.encode() + b"Content-Length: 99999999\r\n\r\n", 413),
            (head.encode() + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400),
            (b"DELETE /v1/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405),
            (b"GET /../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404),
            (b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200),
        ]
        for text, code in cases:
            found = server.raw(text)
            self.assertEqual(found.split(b" ", 2)[:2], [b"HTTP/1.1", str(code).encode()], text[:80])
        self.assertTrue(server.raw(cases[-1][0]).endswith(b"\r\n\r\n"), "a head alone")
        self.assertTrue(server.raw(b"HEAD / HTTP/1.1\r\n\r\n").endswith(b"\r\n\r\n"), "a head alone")
        # HTTP/1.0 knows no chunks.
        rows = b'{"pattern": "triangle"}'
        old = server.raw(head.replace("1.1", "1.0").replace("ask", "rows").encode() + b"Content-Length: %d\r\n\r\n" % len(rows) + rows)
        self.assertNotIn(b"chunked", old)
        self.assertTrue(all(json.loads(line) for line in old.split(b"\r\n\r\n", 1)[1].splitlines()))
        for body in (b'{"cancel": ' + b"[" * 4_000_000 + b"]" * 4_000_000 + b"}", b'{"id": ' + b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_001,
                     b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"pattern": 3}', b'{"id": [1], "pattern": "edge"}', b'{"pattern": "edge"}{}',
                     json.dumps({"pattern": "edge", "x": {f"k{i}": 0 for i in range(5000)}}).encode()):
            code, _, text = server.get("/v1/ask", body or b" ")
            self.assertEqual((code, json.loads(text)["status"]), (400, "usage"), body[:40])
        chance = random.Random(5)
        good = (head + 'Content-Length: 19\r\nConnection: close\r\n\r\n{"pattern": "edge"}').encode()
        for _ in range(60):
            changed = bytearray(good)
            for _ in range(chance.randrange(1, 5)):
                at = chance.randrange(len(changed))
                changed[at:at + chance.randrange(2)] = bytes([chance.choice(b"\r\n :\0x\xff0")])
            with socket.create_connection(("127.0.0.1", server.port), LIMIT_S) as connection:
                connection.sendall(changed)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
        # Two requests at once, and one in pieces.
        both = server.raw(good.replace(b"Connection: close\r\n", b"") + good)
        self.assertEqual(both.count(b"HTTP/1.1 200"), 2)
        with socket.create_connection(("127.0.0.1", server.port), LIMIT_S) as connection:
            for at in range(len(good)):
                connection.sendall(good[at:at + 1])
            self.assertIn(b"200 OK", connection.recv(4096))
        self.assertIsNone(server.process.poll())


if __name__ == "__main__":
    main()
