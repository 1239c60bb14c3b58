// A webhook receiver as a program: `node receiver.ts PORT FILE`. It adds the id of each event as a
// line to the file before it answers, so that a kill loses nothing that it has acknowledged.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const [port, file = ''] = process.argv.slice(2)

createServer(async (request, response) => {
  const body = await text(request).catch(() => '')
  if (body === '') return void response.destroy()
  appendFileSync(file, `${JSON.parse(body).id}\n`)
  response.writeHead(204).end()
}).listen(Number(port), '127.0.0.1')
