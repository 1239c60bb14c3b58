// The soak: half of the load that the installation can take, and a kill -9 each minute. Each minute
// has a line; at the end come the books, the rail, the receiver, the memory and the alarms.
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../../bench/figure.ts'
import { slope } from '../../bench/memory.ts'
import { until } from '../support/service/process.ts'
import { type Alarms, startAlarms } from './alarms.ts'
import { judgeEnd, untilAllIsOver } from './end.ts'
import { judgeRings, KILLS, type Kill, type Killed, type Ring, type Victim } from './kills.ts'
import { type SoakLoad, startSoakLoad } from './load.ts'
import { countSessions, type Sample, sampleOf } from './sample.ts'
import { type Scene, startScene } from './scene.ts'

const MINUTE_S = 60
/** Of each minute before its kill. */
const QUIET_S = 5
/** The load by which the limit is measured. */
const PROBE_PER_S = 400
const PROBE_S = 15

/** Memory is judged from here on, if so much again follows. */
const WARM_S = 300
const MOST_MIB_A_MINUTE = 1
/** By which open files and sessions may differ between two minutes with kills of one kind. */
const MOST_MORE = 10

export interface SoakResult {
  /** One sentence each; none when all promises are kept. */
  readonly faults: readonly string[]
  /** From the last answer until all is paid and told. */
  readonly over_ms: number
}

/** `say` gets a line a minute and the summary; `stop` ends the soak, and all that it has started. */
export async function soak(
  minutes: number,
  say: (line: string) => void,
  stop?: AbortSignal,
): Promise<SoakResult> {
  const scene = await startScene()
  let alarms: Alarms | undefined
  const load = startSoakLoad(scene.client, scene.address, PROBE_PER_S)
  try {
    const limit = await measureLimit(scene, load)
    const half = Math.max(1, Math.floor(limit / 2))
    load.setRate(half)
    say(`limit ${limit.toFixed(0)} payouts/s, paid and told of; the load is ${half} a second`)
    alarms = await startAlarms(scene.folder, scene.ports)
    if (alarms === undefined) say('Prometheus is not installed: no alarm is judged')
    const course = new Course(scene, load, alarms, stop)
    for (let minute = 1; minute <= minutes; minute++) say(await course.minute(minute))
    await load.stop()
    const stopped_at = performance.now()
    await untilAllIsOver(scene, load.sent())
    const over_ms = performance.now() - stopped_at
    const end = await judgeEnd(scene, load)
    for (const line of [...end.lines, ...course.summary()]) say(line)
    const faults = [...end.faults, ...course.faults()]
    for (const fault of faults) say(`FAULT: ${fault}`)
    return { faults, over_ms }
  } catch (error) {
    for (const warning of scene.warnings.slice(-5)) say(warning)
    throw error
  } finally {
    await alarms?.close()
    scene.client.close()
    await load.stop()
    await scene.close()
  }
}

/**
 * How many payouts a second are accepted, paid by the rail and told to the receiver: those of a load
 * above it, over the time until the last one is told.
 */
async function measureLimit(scene: Scene, load: SoakLoad): Promise<number> {
  await until('the first payout', () => load.ids.some(id => id !== undefined))
  const before = load.sent()
  const began_at = performance.now()
  await delay(PROBE_S * 1000)
  load.setRate(0)
  const sent = load.sent() - before
  await untilAllIsOver(scene, before + sent)
  load.takeTally()
  return sent / ((performance.now() - began_at) / 1000)
}

/** The minutes of a soak, with what was seen in them. */
class Course {
  readonly #scene: Scene
  readonly #load: SoakLoad
  readonly #alarms: Alarms | undefined
  readonly #stop: AbortSignal | undefined
  readonly #began_at = performance.now()
  readonly #killed: Killed[] = []
  readonly #rings: Ring[] = []
  readonly #samples: Sample[] = []
  readonly #quiet: { victim: Victim; files: number; sessions: number }[] = []
  #ringing: readonly string[] = []

  constructor(
    scene: Scene,
    load: SoakLoad,
    alarms: Alarms | undefined,
    stop: AbortSignal | undefined,
  ) {
    this.#scene = scene
    this.#load = load
    this.#alarms = alarms
    this.#stop = stop
  }

  get #now_s(): number {
    return Math.floor((performance.now() - this.#began_at) / 1000)
  }

  async minute(number: number): Promise<string> {
    const kill = KILLS[(number - 1) % KILLS.length] as Kill
    const ends_s = number * MINUTE_S
    const rings_before = this.#rings.length
    const sent_before = this.#load.sent()
    await this.#watch(ends_s - MINUTE_S + QUIET_S)
    const sessions = await countSessions(this.#scene)
    this.#killed.push({ kill, at_s: this.#now_s })
    await this.#scene.kill(kill.victim)
    await this.#watch(this.#now_s + kill.away_s)
    await this.#scene.startAgain(kill.victim)
    await this.#watch(ends_s)
    // Clients come and go: what is left over shows when there are fewest.
    const its = this.#samples.filter(({ at_s }) => at_s >= ends_s - MINUTE_S)
    const files = Math.min(...its.map(one => one.files))
    this.#quiet.push({ victim: kill.victim, files, sessions })
    const rang = [...new Set(this.#rings.slice(rings_before).map(({ alarm }) => alarm))]
    return [
      `minute ${number}: ${kill.victim} killed, away ${kill.away_s} s`,
      `${this.#load.sent() - sent_before} payouts, ${JSON.stringify(this.#load.takeTally())}`,
      `${this.#samples.at(-1)?.rss_mib.toFixed(0)} MiB, ${files} files`,
      `${sessions} sessions`,
      `rang: ${rang.join(', ') || 'none'}`,
    ].join('; ')
  }

  /** Samples each second until this second of the soak. */
  async #watch(until_s: number): Promise<void> {
    while (this.#now_s < until_s) {
      this.#stop?.throwIfAborted()
      const begin = performance.now()
      this.#samples.push(await sampleOf(this.#scene.lasting_pid, this.#now_s))
      const ringing = (await this.#alarms?.ringing()) ?? []
      for (const alarm of ringing) {
        if (!this.#ringing.includes(alarm)) this.#rings.push({ alarm, at_s: this.#now_s })
      }
      this.#ringing = ringing
      await delay(Math.max(0, 1000 - (performance.now() - begin)))
    }
  }

  summary(): string[] {
    const memory = this.#memory()
    const [first, last] = this.#quietTimes()
    return [
      `memory of the process that is never killed: ${memory.first.toFixed(0)} MiB at first, ` +
        `${memory.last.toFixed(0)} MiB in the last minute; ${memory.words}`,
      `its open files ${first?.files} → ${last?.files}; sessions at the database ` +
        `${first?.sessions} → ${last?.sessions}`,
      ...KILLS.filter(kill => this.#killed.some(one => one.kill === kill)).map(kill => {
        const its = this.#killed.filter(one => one.kill === kill)
        return `${kill.victim}: ${its.length} kills; must ring: ${kill.rings.join(', ') || 'none'}`
      }),
      `rang: ${JSON.stringify(tallied(this.#rings.map(({ alarm }) => alarm)))}`,
    ]
  }

  #memory() {
    const values = this.#samples.map(({ rss_mib }) => rss_mib)
    const warm = this.#samples.filter(({ at_s }) => at_s >= WARM_S).map(one => one.rss_mib)
    const rise = warm.length >= WARM_S ? slope(warm) : undefined
    const words =
      rise === undefined
        ? 'too short a run for a slope'
        : `${rise.toFixed(2)} MiB a minute after ${WARM_S} s (least squares)`
    const [first, last] = [values.slice(0, MINUTE_S), values.slice(-MINUTE_S)]
    return { first: median(first), last: median(last), rise, words }
  }

  /**
   * The last, and the first after a kill of the same victim: others leave more connections open.
   * Before the first minute the limit was measured, with more clients.
   */
  #quietTimes() {
    const last = this.#quiet.at(-1)
    return [this.#quiet.slice(1).find(one => one.victim === last?.victim), last] as const
  }

  faults(): string[] {
    const { rise = 0 } = this.#memory()
    const [first, last] = this.#quietTimes()
    const more = (what: 'files' | 'sessions') => (last?.[what] ?? 0) - (first?.[what] ?? Infinity)
    return [
      ...(rise > MOST_MIB_A_MINUTE ? [`memory rises by ${rise.toFixed(2)} MiB a minute`] : []),
      ...(more('files') > MOST_MORE ? [`${more('files')} more open files`] : []),
      ...(more('sessions') > MOST_MORE ? [`${more('sessions')} more sessions`] : []),
      ...(this.#alarms === undefined ? [] : judgeRings(this.#killed, this.#rings)),
    ]
  }
}

function tallied(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
