// A progress bar on standard error: one line that is drawn again, and gone at the end.
import type { WriteStream } from 'node:tty'

/** The shortest time between two drawings. */
const EVERY_MS = 100
const USUAL_WIDTH = 40
const [HIDE_CURSOR, SHOW_CURSOR, CLEAR] = ['\x1b[?25l', '\x1b[?25h', '\r\x1b[K']

type Values = Readonly<Record<string, string>>

interface Look {
  readonly total?: number
  /** What the format names beside {bar}, {percentage}, {value} and {total}. */
  readonly payload?: Values
  /** Columns of {bar}. */
  readonly barsize?: number
}

export class Bar {
  readonly #format: string
  readonly #width: number
  readonly #out: Pick<WriteStream, 'write'>
  #total: number
  #payload: Values
  #value = 0
  #drawn_at = Number.NEGATIVE_INFINITY

  constructor(format: string, look: Look, out: Pick<WriteStream, 'write'>) {
    this.#format = format
    this.#width = look.barsize ?? USUAL_WIDTH
    this.#total = look.total ?? 0
    this.#payload = look.payload ?? {}
    this.#out = out
    out.write(HIDE_CURSOR)
    this.#draw()
  }

  setTotal(total: number): void {
    this.#total = total
  }

  update(value: number, payload: Values = {}): void {
    this.#value = value
    this.#payload = { ...this.#payload, ...payload }
    if (performance.now() - this.#drawn_at >= EVERY_MS) this.#draw()
  }

  /** Clears the line. */
  stop(): void {
    this.#out.write(`${CLEAR}${SHOW_CURSOR}`)
  }

  #draw(): void {
    this.#drawn_at = performance.now()
    const share = this.#total > 0 ? Math.min(1, this.#value / this.#total) : 0
    const full = Math.trunc(share * this.#width)
    const known: Values = {
      ...this.#payload,
      bar: '█'.repeat(full) + '░'.repeat(this.#width - full),
      percentage: String(Math.trunc(share * 100)),
      value: String(this.#value),
      total: String(this.#total),
    }
    this.#out.write(
      CLEAR + this.#format.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? ''),
    )
  }
}

/** Undefined if standard error is no terminal. */
export function startBar(format: string, look: Look = {}): Bar | undefined {
  return process.stderr.isTTY ? new Bar(format, look, process.stderr) : undefined
}
