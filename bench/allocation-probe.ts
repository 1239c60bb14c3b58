// Loaded into the service before its own code: tells each connection to ALLOCATION_SOCKET how many
// bytes of JavaScript heap the process has allocated so far.
import { createServer } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  createServer(socket => socket.end(String(getHeapStatistics().total_allocated_bytes)))
    .listen(process.env.ALLOCATION_SOCKET)
    .unref()
}
