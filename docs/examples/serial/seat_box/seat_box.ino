// A seat box for Paizhuo on an Arduino: pass, one card left, a call for the referee (docs/serial-protocol.md).
// The same as seat_box.py beside it; compiled for an ATmega328P (2 KB of flash, 277 bytes of memory) and tried on a PC
// (on_a_pc/Arduino.h), on no board yet: tell us how it went.

struct Line { uint32_t number, ms; const char *words; };

const uint8_t PINS[] = {2, 3, 4};
const char *const SAYS[] = {"PASS", "COUNT 1", "CALL"};
const uint8_t BUTTONS = sizeof(PINS);
const uint8_t ROOM = 16;  // lines that are kept until they are acknowledged

Line kept[ROOM];
uint8_t waiting = 0;
uint32_t count = 0, beat = 0, boot = 0;
bool down[BUTTONS];
char heard[100];
uint8_t length = 0;

uint32_t crc32(const char *text) {
  uint32_t crc = 0xFFFFFFFFUL;
  while (*text) {
    crc ^= (uint8_t)*text++;
    for (uint8_t bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xEDB88320UL : crc >> 1;
  }
  return ~crc;
}

void say(uint32_t number, uint32_t ms, const char *words) {
  char body[90], end[12];
  snprintf(body, sizeof body, "%lu %lu %s", (unsigned long)number, (unsigned long)ms, words);
  snprintf(end, sizeof end, "*%08lX\n", (unsigned long)crc32(body));
  Serial.print(body);
  Serial.print(end);
}

void again() {
  for (uint8_t i = 0; i < waiting; i++) say(kept[i].number, kept[i].ms, kept[i].words);
}

void hello() {
  char words[80];
  snprintf(words, sizeof words, "HELLO 1 seatbox MyBox 0008 1.0 %08lX %lu", (unsigned long)boot,
           (unsigned long)(waiting ? kept[0].number : count + 1));
  say(0, millis(), words);
}

void obey(char *line) {
  char *star = strrchr(line, '*');
  if (!star) return;
  *star = 0;
  if (strtoul(star + 1, NULL, 16) != crc32(line)) return;  // damaged: what matters is said again
  if (!strncmp(line, "ACK ", 4)) {
    char *rest;
    uint32_t number = strtoul(line + 4, &rest, 10);
    if (strtoul(rest, NULL, 16) != boot) return;  // of what was said before the box was switched off
    uint8_t gone = 0;
    while (gone < waiting && kept[gone].number <= number) gone++;
    for (uint8_t i = gone; i < waiting; i++) kept[i - gone] = kept[i];
    waiting -= gone;
  } else if (!strcmp(line, "WHO")) {
    hello();
    again();
  } else if (!strncmp(line, "RESEND ", 7)) {
    if (waiting && kept[0].number > strtoul(line + 7, NULL, 10)) hello();
    again();
  }
}

void setup() {
  Serial.begin(115200);
  for (uint8_t i = 0; i < BUTTONS; i++) pinMode(PINS[i], INPUT_PULLUP);
  // Another number each time that the box is switched on: noise of an open pin.
  for (uint8_t i = 0; i < 32; i++) boot = (boot << 1) ^ analogRead(A0) ^ (boot >> 31) ^ micros();
  hello();
}

void loop() {
  while (Serial.available()) {
    char c = Serial.read();
    if (c == '\n') {
      heard[length] = 0;
      obey(heard);
      length = 0;
    } else if (c != '\r') {
      heard[length] = c;
      if (length < sizeof heard - 1) length++;
    }
  }
  for (uint8_t i = 0; i < BUTTONS; i++) {
    bool pressed = digitalRead(PINS[i]) == LOW;
    if (pressed && !down[i] && waiting < ROOM) {
      kept[waiting++] = {++count, millis(), SAYS[i]};
      say(count, kept[waiting - 1].ms, SAYS[i]);
    }
    down[i] = pressed;
  }
  if (millis() - beat >= 1000) {
    char words[32];
    beat = millis();
    snprintf(words, sizeof words, "BEAT %lu %08lX", (unsigned long)count, (unsigned long)boot);
    say(0, beat, words);
    again();
  }
  delay(5);
}
