# A seat box for Paizhuo in 40 lines of MicroPython: pass, three counts, a call for the referee (docs/serial-protocol.md).
import binascii, os, time
from machine import Pin, UART

uart = UART(0, 115200)
SAYS = {2: "PASS", 3: "COUNT 1", 4: "COUNT 2", 5: "COUNT 3", 6: "CALL"}  # what the button at each pin says
pins = {number: Pin(number, Pin.IN, Pin.PULL_UP) for number in SAYS}
boot = binascii.hexlify(os.urandom(4)).decode()  # another one each time that the box is switched on
kept = []  # lines that were not acknowledged yet: number, milliseconds, words
count, down, rest, beat = 0, set(), b"", 0  # number of the newest line, buttons held, half a line, time of the last beat

def send(number, ms, words):
    body = b"%d %d %s" % (number, ms, words.encode())
    uart.write(b"%s*%08X\n" % (body, binascii.crc32(body)))

def hello():
    send(0, time.ticks_ms(), "HELLO 1 seatbox MyBox 0007 1.0 %s %d" % (boot, kept[0][0] if kept else count + 1))

def obey(line):
    global kept
    body, _, crc = line.strip().rpartition(b"*")
    word, *rest = body.decode().split() if crc == b"%08X" % binascii.crc32(body) else ("damaged",)
    if word == "ACK" and rest[1] == boot:
        kept = [line for line in kept if line[0] > int(rest[0])]
    if word == "WHO" or (word == "RESEND" and kept and kept[0][0] > int(rest[0])):
        hello()
    if word in ("WHO", "RESEND"):
        [send(*line) for line in kept]

hello()
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
        send(0, beat, "BEAT %d %s" % (count, boot))
        [send(*line) for line in kept]
    time.sleep_ms(5)
