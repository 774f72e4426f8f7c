"""The room of things with cables: cameras, serial dealers and seat boxes, and the simulated table in their place."""
