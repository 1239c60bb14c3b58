// Measures how many bytes of JavaScript heap the service allocates for a request. A process of its
// own does it, after the timed rounds.
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Figure, onlyRound, readable } from './figure.ts'
import { type Generator, sendLoad } from './load.ts'
import { asWarmUp, type Requests, type Seconds } from './measure.ts'
import { say } from './report.ts'
import type { ServiceProcess, Target } from './target.ts'

export interface AllocationLoad {
  /** Such as `payout create, one connection`. */
  readonly name: string
  /** The most kilobytes for a request, if there is a target. */
  readonly at_most?: number
  requests(address: string): Requests
}

const NOTE =
  'JavaScript heap of the main thread, as V8 counts it; buffers outside of the heap do not count. ' +
  'A process of its own is measured after the timed rounds.'

/** Starts the measured process with these variables. */
type Start = (env: Readonly<Record<string, string>>) => Promise<ServiceProcess>

/**
 * Sends the loads one after the other to another process: the service, unless `start` starts
 * another program.
 */
export async function measureAllocation(
  target: Target,
  generator: Generator,
  seconds: Seconds,
  loads: readonly AllocationLoad[],
  start: Start = target.startAnother,
): Promise<readonly Figure[]> {
  // A process that has ended may leave its socket behind.
  const socket = join(target.folder, `${randomUUID().slice(0, 8)}.sock`)
  const service = await start({
    NODE_OPTIONS: `--import=${import.meta.resolve('./allocation-probe.ts')}`,
    ALLOCATION_SOCKET: socket,
  })
  const allocated = async () => Number(await text(connect(socket)))
  const figures: Figure[] = []
  try {
    for (const { name, at_most, requests } of loads) {
      const load = requests(service.address)
      await sendLoad(generator, { ...asWarmUp(load), seconds: seconds.warm_up_s })
      const before = await allocated()
      const sent = await sendLoad(generator, { ...load, seconds: seconds.load_s })
      const kilobytes = ((await allocated()) - before) / sent.requests / 1000
      say(`  ${name}: ${readable(kilobytes)} kB of heap allocated for a request`)
      figures.push({
        name: `${name}, heap allocated for a request`,
        unit: 'kB',
        rounds: onlyRound(kilobytes),
        goals: at_most === undefined ? [] : [{ what: 'value', at_most }],
        note: NOTE,
      })
    }
  } finally {
    await service.stop()
  }
  return figures
}
