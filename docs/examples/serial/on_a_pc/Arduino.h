// Stands in for an Arduino's libraries on a PC with Linux, so that sketches run without the board:
//   g++ -x c++ -include docs/examples/serial/on_a_pc/Arduino.h docs/examples/serial/seat_box/seat_box.ino -o box
//   PORT=/dev/pts/3 ./box
// PORT is the port's other end. Buttons are "pressed" on the standard input: the number of a pin, a line each.
// Types are as wide as on the board; where nobody types any more the program ends.
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOW 0
#define HIGH 1
#define INPUT_PULLUP 2
#define A0 14

inline uint32_t micros() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)(now.tv_sec * 1000000LL + now.tv_nsec / 1000);
}

inline uint32_t millis() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)(now.tv_sec * 1000LL + now.tv_nsec / 1000000);
}

inline void delay(uint32_t ms) { usleep(ms * 1000); }

inline bool can_be_read(int file) {
  pollfd one = {file, POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

class Port {
 public:
  void begin(unsigned long) { file = open(getenv("PORT"), O_RDWR | O_NOCTTY); }
  int available() { return can_be_read(file) ? 1 : 0; }
  int read() {
    unsigned char one;
    return ::read(file, &one, 1) == 1 ? one : -1;
  }
  void print(const char *text) {
    if (write(file, text, strlen(text)) < 0) exit(1);
  }

 private:
  int file = -1;
};

static Port Serial;
static uint32_t held_until[32];

inline void pinMode(uint8_t, uint8_t) {}
inline int analogRead(uint8_t) { return rand() & 1023; }

// A number typed on the standard input holds its button down for 50 ms.
inline int digitalRead(uint8_t pin) {
  static char typed[16];
  static uint8_t length = 0;
  while (can_be_read(0)) {
    char one;
    if (::read(0, &one, 1) != 1) exit(0);
    if (one != '\n') {
      if (length < sizeof typed - 1) typed[length++] = one;
      continue;
    }
    typed[length] = 0;
    held_until[atoi(typed) & 31] = millis() + 50;
    length = 0;
  }
  return (int32_t)(held_until[pin] - millis()) > 0 ? LOW : HIGH;
}

void setup();
void loop();

int main() {
  setup();
  for (;;) loop();
}
