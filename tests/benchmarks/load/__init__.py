"""The whole product under the load of thousands of entities, for as long as it is let: latencies, CPU, memory, answers."""
