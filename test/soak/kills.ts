// Whom the soak kills, for how long each stays away, and which alarms that must ring. Pure.

export type Victim = 'service' | 'primary' | 'standby' | 'rail' | 'receiver'

export interface Kill {
  readonly victim: Victim
  /** Seconds until it is started again. */
  readonly away_s: number
  readonly rings: readonly string[]
  /** What it may ring too, as long as its effects last. */
  readonly may: readonly string[]
  /** Seconds after the kill for which its alarms are its own. */
  readonly lasts_s: number
}

/**
 * The alarms are those of deploy/prometheus/rules.yaml with each of their durations divided by this,
 * so that a second stands for two minutes: an absence of 40 seconds, for an hour and twenty minutes.
 */
export const FASTER = 120

/** In turn, one a minute. */
export const KILLS: readonly Kill[] = [
  { victim: 'service', away_s: 20, rings: ['CorridorProcessDown'], may: [], lasts_s: 60 },
  {
    victim: 'primary',
    away_s: 20,
    rings: ['CorridorRefuses', 'DatabaseAway'],
    // Requests wait for their 503, and payouts that were due meanwhile are paid late.
    may: ['CorridorSlow'],
    lasts_s: 60,
  },
  { victim: 'standby', away_s: 20, rings: [], may: [], lasts_s: 60 },
  { victim: 'rail', away_s: 40, rings: ['RailUnclear'], may: [], lasts_s: 60 },
  {
    victim: 'receiver',
    away_s: 45,
    rings: ['WebhooksFail'],
    // What failed twice is sent again two and a half minutes later.
    may: ['WebhooksLate'],
    lasts_s: 240,
  },
]

/** `2h` → `60s` for 120; durations in milliseconds, because they become short. */
export function hasten(rules: string, faster: number): string {
  const unit_ms: Readonly<Record<string, number>> = {
    s: 1_000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
  }
  const shorter = (count: string, unit: string) =>
    `${Math.max(1, Math.round((Number(count) * (unit_ms[unit] ?? 1)) / faster))}ms`
  return rules
    .replace(/\[(\d+)([smhd])\]/g, (_, count, unit) => `[${shorter(count, unit)}]`)
    .replace(
      /^(\s+for: )(\d+)([smhd])$/gm,
      (_, before, count, unit) => before + shorter(count, unit),
    )
}

export interface Ring {
  readonly alarm: string
  /** Seconds since the begin of the soak. */
  readonly at_s: number
}

export interface Killed {
  readonly kill: Kill
  readonly at_s: number
}

/** Compares what rang with what should: one sentence for each difference. */
export function judgeRings(killed: readonly Killed[], rings: readonly Ring[]): string[] {
  const within = ({ kill, at_s }: Killed, ring: Ring) =>
    ring.at_s >= at_s && ring.at_s < at_s + kill.lasts_s
  const silent = killed.flatMap(one =>
    one.kill.rings
      .filter(alarm => !rings.some(ring => ring.alarm === alarm && within(one, ring)))
      .map(
        alarm => `${alarm} did not ring when the ${one.kill.victim} was killed at ${one.at_s} s`,
      ),
  )
  const stray = rings
    .filter(
      ring =>
        !killed.some(
          one => within(one, ring) && [...one.kill.rings, ...one.kill.may].includes(ring.alarm),
        ),
    )
    .map(({ alarm, at_s }) => `${alarm} rang at ${at_s} s for no kill`)
  return [...silent, ...stray]
}
