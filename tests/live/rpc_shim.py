"""A server between a JSON-RPC client and a node, which keeps requests and can give a test's answers for the node's."""

import http.server
import json
import threading

from nodes import PASSWORD, USER, RpcError, post


class RpcShim:
    """`answers`: method -> function(parameters, ask) that returns the result; ask(method, *parameters) asks the node. One
    that raises RpcError gives the error, one that raises Silence closes the connection without a reply."""

    class Silence(Exception):
        pass

    def __init__(self, node, **answers):
        self.node, self.answers = node, answers
        self.asked = []  # (method, parameters)
        self.lock = threading.Lock()
        shim = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    reply = [shim.answer(each) for each in request] if isinstance(request, list) else shim.answer(request)
                except (RpcShim.Silence, OSError, ValueError):
                    self.close_connection = True
                    return
                body = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that went away

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://{USER}:{PASSWORD}@127.0.0.1:{self.port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def count(self, method):
        with self.lock:
            return sum(asked == method for asked, _ in self.asked)

    def forward(self, method, *parameters):
        _, reply = post(self.node.port, json.dumps({"jsonrpc": "1.0", "id": 1, "method": method, "params": parameters}))
        return json.loads(reply)

    def ask(self, method, *parameters):
        reply = self.forward(method, *parameters)
        if reply.get("error"):
            raise RpcError(reply["error"])
        return reply["result"]

    def answer(self, request):
        method, parameters = request["method"], request.get("params") or []
        with self.lock:
            self.asked.append((method, parameters))
        if method not in self.answers:
            return {**self.forward(method, *parameters), "id": request.get("id")}
        try:
            return {"result": self.answers[method](parameters, self.ask), "error": None, "id": request.get("id")}
        except RpcError as error:
            return {"result": None, "error": error.args and error.code and {"code": error.code, "message": str(error)}, "id": request.get("id")}
