// The table of docs/sizing.md follows from the measurements in bench/results.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Figure, FigureRound } from '../../bench/figure.ts'

const DAILY = [1_000, 100_000, 10_000_000]
/** Of the payouts of a day, this part comes in its busiest hour. */
const BUSIEST_HOUR = 0.2

/** The median of the rounds of a figure. */
async function measured(scenario: string, name: string, of: (round: FigureRound) => unknown) {
  const { figures } = JSON.parse(await readFile(`bench/results/${scenario}.json`, 'utf8'))
  const figure = figures.find((one: Figure) => one.name === name) as Figure | undefined
  assert.ok(figure, name)
  const values = figure.rounds.map(of).map(Number)
  return values.sort((a, b) => a - b)[values.length >> 1] as number
}

const figureOf = (round: FigureRound) => round.value
const cpuOf = (round: FigureRound) => Number(round.service_cpu_s) + Number(round.database_cpu_s)

const bytes = (value: number) => {
  const power = Math.floor(Math.log10(value) / 3)
  const unit = ['B', 'kB', 'MB', 'GB', 'TB'][power]
  return `${Number((value / 1000 ** power).toPrecision(2))} ${unit}`
}

test('docs/sizing.md, table: follows from the measurements of storage, payouts and settling', async () => {
  const inline = 'payout with a new beneficiary inline and a key, made and settled'
  const disk = await measured('storage', `${inline}: on disk`, figureOf)
  const log = await measured('storage', `${inline}: in the log`, figureOf)
  // A request that is alone costs most, and a batch shares the cost.
  const alone = await measured('payout', 'payout create, one connection', cpuOf)
  const settle = await measured('settle', 'settle as many payouts of 1,000 accounts', cpuOf)
  const cores = (rate: number) => (rate * (alone + settle)) / 1000
  const rows: readonly [string, (daily: number) => string][] = [
    [
      'payouts a second, busiest hour',
      daily => `${Number(((daily * BUSIEST_HOUR) / 3600).toPrecision(2))}`,
    ],
    ['disk a day', daily => bytes(daily * disk)],
    ['disk a year', daily => bytes(daily * disk * 365)],
    ['log a day', daily => bytes(daily * log)],
    [
      'processors busy, busiest hour, at most',
      daily => `${Number(cores((daily * BUSIEST_HOUR) / 3600).toPrecision(2))}`,
    ],
  ]
  const page = await readFile('docs/sizing.md', 'utf8')
  for (const [name, of] of rows) {
    const row = `| ${name} | ${DAILY.map(of).join(' | ')} |`
    assert.ok(page.includes(`${row}\n`), row)
  }
})
