"""A small RTSP server for tests: one H.264 picture stream over TCP, with the faults that network cameras have.

`python -m tests.rtsp_server PORT [--fps F] [--freeze-after S] [--garbage-after S] [--end-after S] [--login USER:PASSWORD]
[--path /stream]`. It prints `ready` when it listens. To make it hang, stop its process (SIGSTOP).
"""

from __future__ import annotations

import argparse
import base64
import os
import socket
import struct
import threading
import time
from fractions import Fraction

import av
import numpy as np

CLOCK = 90_000
LARGEST = 1400


def encoded(size: tuple[int, int], fps: float, seconds: float) -> list[list[bytes]]:
    """The NAL units of each picture of a short film that can be sent over and over."""
    codec = av.CodecContext.create("libx264", "w")
    assert isinstance(codec, av.VideoCodecContext)
    codec.width, codec.height = size
    codec.pix_fmt = "yuv420p"
    codec.time_base = Fraction(1, round(fps))
    codec.options = {"preset": "ultrafast", "tune": "zerolatency", "g": str(round(fps)), "crf": "20"}
    random = np.random.default_rng(3)
    pictures: list[list[bytes]] = []
    count = round(fps * seconds)
    for i in range(count):
        image = np.tile(np.linspace(30, 220, size[0]).astype(np.uint8), (size[1], 1))
        image = np.repeat(image[:, :, None], 3, axis=2)
        image += random.integers(0, 8, image.shape, np.uint8)
        x = i * (size[0] - 24) // count
        image[20:44, x : x + 24] = (0, 0, 255)
        frame = av.VideoFrame.from_ndarray(image, format="bgr24")
        frame.pts = i
        pictures += [nals(bytes(packet)) for packet in codec.encode(frame)]
    return pictures


def nals(data: bytes) -> list[bytes]:
    """The units of an Annex B stream."""
    parts = data.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")
    return [part for part in parts if part]


class Server:
    """Listens on a port of 127.0.0.1 and serves each client in a thread of its own."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.size = tuple(int(side) for side in args.size.split("x"))
        self.pictures = encoded((self.size[0], self.size[1]), args.fps, 2.0)
        first = self.pictures[0]
        self.parameters = [nal for nal in first if nal[0] & 31 in (7, 8)]

    def serve(self) -> None:
        listener = socket.create_server(("127.0.0.1", self.args.port))
        print(f"ready {listener.getsockname()[1]}", flush=True)
        while True:
            client, _ = listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.talk, args=(client,), daemon=True).start()

    def talk(self, client: socket.socket) -> None:
        data = b""
        try:
            while True:
                while b"\r\n\r\n" not in data:
                    more = client.recv(4096)
                    if not more:
                        return
                    data += more
                    while data[:1] == b"$" and len(data) >= 4:  # receiver reports of the client
                        data = data[4 + struct.unpack(">H", data[2:4])[0] :]
                request, data = data.split(b"\r\n\r\n", 1)
                self.answer(client, request.decode())
        except OSError:
            return

    def answer(self, client: socket.socket, request: str) -> None:
        first, *lines = request.split("\r\n")
        method, url, _ = first.split(" ")
        heads = {line.split(":")[0].lower(): line.partition(":")[2].strip() for line in lines}
        out = [f"CSeq: {heads.get('cseq', '0')}"]
        body, status = "", "200 OK"
        login = "Basic " + base64.b64encode(self.args.login.encode()).decode() if self.args.login else ""
        if login and method != "OPTIONS" and heads.get("authorization") != login:
            status = "401 Unauthorized"
            out.append('WWW-Authenticate: Basic realm="camera"')
        elif self.args.path not in url and method != "OPTIONS":
            status = "404 Not Found"
        elif method == "OPTIONS":
            out.append("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER")
        elif method == "DESCRIBE":
            sets = ",".join(base64.b64encode(nal).decode() for nal in self.parameters)
            body = (
                "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=camera\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\n"
                f"m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/{CLOCK}\r\n"
                f"a=fmtp:96 packetization-mode=1;sprop-parameter-sets={sets}\r\na=control:track0\r\n"
            )
            out += ["Content-Type: application/sdp", f"Content-Length: {len(body)}"]
        elif method == "SETUP":
            out += ["Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 1"]
        else:
            out.append("Session: 1")
        client.sendall((f"RTSP/1.0 {status}\r\n" + "\r\n".join(out) + "\r\n\r\n" + body).encode())
        if method == "PLAY" and status.startswith("200"):
            threading.Thread(target=self.stream, args=(client,), daemon=True).start()

    def stream(self, client: socket.socket) -> None:
        args = self.args
        began = time.monotonic()
        number = sequence = 0
        try:
            while True:
                since = time.monotonic() - began
                if args.end_after and since > args.end_after:
                    client.shutdown(socket.SHUT_RDWR)
                    return
                units = self.pictures[number % len(self.pictures)]
                if args.freeze_after and since > args.freeze_after:
                    units = self.pictures[0]
                if args.garbage_after and since > args.garbage_after:
                    units = [bytes([units[-1][0]]) + os.urandom(400)]
                stamp = int(number * CLOCK / args.fps)
                for packet, last in packets(units):
                    head = struct.pack(
                        ">BBHII", 0x80, 96 | last << 7, sequence & 0xFFFF, stamp & 0xFFFFFFFF, 7
                    )
                    sequence += 1
                    client.sendall(struct.pack(">cBH", b"$", 0, len(head) + len(packet)) + head + packet)
                number += 1
                time.sleep(max(0.0, began + number / args.fps - time.monotonic()))
        except OSError:
            return


def packets(units: list[bytes]) -> list[tuple[bytes, int]]:
    """RTP payloads of a picture (RFC 6184), each with whether it is the last."""
    out: list[bytes] = []
    for nal in units:
        if len(nal) <= LARGEST:
            out.append(nal)
            continue
        kind, body = nal[0], nal[1:]
        for at in range(0, len(body), LARGEST):
            part = body[at : at + LARGEST]
            edge = (0x80 if at == 0 else 0) | (0x40 if at + LARGEST >= len(body) else 0)
            out.append(bytes([kind & 0xE0 | 28, edge | kind & 31]) + part)
    return [(packet, int(i == len(out) - 1)) for i, packet in enumerate(out)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--size", default="320x240")
    parser.add_argument("--path", default="/stream")
    parser.add_argument("--login", default="")
    parser.add_argument("--fps", type=float, default=25.0)
    for name in ("freeze", "garbage", "end"):
        parser.add_argument(f"--{name}-after", type=float, default=0.0)
    Server(parser.parse_args()).serve()
