# A seat box for Paizhuo in 40 lines of MicroPython: pass, three counts, a call for the referee (docs/serial-protocol.md).
import binascii, os, time
from machine import Pin, UART

uart = UART(0, 115200)
SAYS = {2: "PASS", 3: "COUNT 1", 4: "COUNT 2", 5: "COUNT 3", 6: "CALL"}  # what the button at each pin says
pins = {number: Pin(number, Pin.IN, Pin.PULL_UP) for number in SAYS}
boot = binascii.hexlify(os.urandom(4)).decode()  # another one each time that the box is switched on
kept = []  # lines that were not acknowledged yet: number, milliseconds, words
count = 0  # number of the newest line
down, rest, beat = set(), b"", 0

def send(number, ms, words):
    body = "%d %d %s" % (number, ms, words)
    uart.write(b"%s*%08X\n" % (body.encode(), binascii.crc32(body.encode())))

def obey(line):
    global kept
    body, _, crc = line.strip().rpartition(b"*")
    if crc != b"%08X" % binascii.crc32(body):
        return  # damaged: what matters is said again
    word, *rest = body.decode().split()
    if word == "ACK":
        kept = [line for line in kept if line[0] > int(rest[0])]
    if word == "WHO" or (word == "RESEND" and kept and kept[0][0] > int(rest[0])):
        send(0, time.ticks_ms(), "HELLO 1 seatbox MyBox 0007 1.0 %s %d" % (boot, kept[0][0] if kept else count + 1))
    if word in ("WHO", "RESEND"):
        [send(*line) for line in kept]

while True:
    *lines, rest = (rest + (uart.read() or b""))[-400:].split(b"\n")
    [obey(line) for line in lines]
    for number, pin in pins.items():
        if pin.value() == 0 and number not in down and len(kept) < 16:
            count, down = count + 1, down | {number}
            kept.append((count, time.ticks_ms(), SAYS[number]))
            send(*kept[-1])
        elif pin.value():
            down.discard(number)
    if time.ticks_diff(time.ticks_ms(), beat) >= 1000:
        beat = time.ticks_ms()
        send(0, beat, "BEAT %d" % count)
        [send(*line) for line in kept]
    time.sleep_ms(5)
