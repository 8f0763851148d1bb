"""A web server of a folder, for the tests that open pages (`make release`)."""

import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer


class Quiet(SimpleHTTPRequestHandler):
    """A handler that doesn't print each request."""

    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    """Serve a folder, and yield the address without a slash at its end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
