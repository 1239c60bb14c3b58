// The table and the chart of results say what was measured, and judge it as its targets are meant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawChart } from '../../bench/chart.ts'
import {
  compare,
  type Figure,
  type FigureRound,
  type Goal,
  type Results,
} from '../../bench/figure.ts'
import { writeTable } from '../../bench/table.ts'

/** A round a pair of value and baseline. */
function figure(goals: readonly Goal[], ...pairs: readonly (readonly [number, number])[]): Figure {
  const rounds = pairs.map(
    ([value, pgbench]): FigureRound => ({ value, p99_ms: value / 100, baselines: { pgbench } }),
  )
  return { name: 'payout create', unit: 'payouts/s', rounds, goals }
}

function results(...figures: readonly Figure[]): Results {
  return {
    scenario: 'payout',
    at: '2026-11-21T08:22Z',
    commit: '81165f4',
    quick: false,
    machine: '2 cores',
    node: '26.10.0',
    postgresql: '18.4',
    postgres: '',
    generator: 'wrk',
    figures,
    recorded: {},
  }
}

const EIGHT: Goal = { what: 'ratio', to: 'pgbench', at_least: 8 }

test('bench ratio to a baseline: computed per round, then median, minimum and maximum', () => {
  const [comparison] = compare(figure([EIGHT], [8000, 1000], [4000, 400], [9000, 1500]))
  assert.deepEqual(comparison, {
    against: 'pgbench: 1,000',
    ratio: '8.00 (6.00–10.0)',
    target: '≥ 8',
    outcome: 'reached',
  })
})

test('bench goals of processor time: one for the service and one for the database', () => {
  const rounds = [{ value: 4000, service_cpu_s: 0.1, database_cpu_s: 0.25, baselines: {} }]
  const goals: readonly Goal[] = [
    { what: 'service_cpu_s', at_most: 0.1 },
    { what: 'database_cpu_s', at_most: 0.2 },
  ]
  assert.deepEqual(
    compare({ ...figure(goals), rounds }).map(c => [c.target, c.outcome]),
    [
      ['service CPU ≤ 0.1 ms', 'reached'],
      ['database CPU ≤ 0.2 ms', 'over by 25 %'],
    ],
  )
})

test('bench target missed: by how many per cent, never rounded to zero', () => {
  const rows: readonly [goal: Goal, outcome: string][] = [
    [EIGHT, 'short by 1 %'],
    [{ what: 'value', at_least: 10_000 }, 'short by 21 %'],
    [{ what: 'p99_ms', at_most: 79.9 }, 'over by 1 %'],
    [{ what: 'rss_mib', at_most: 250 }, 'not measured'],
    [{ what: 'p50_ms', at_most: 2.5 }, 'not measured'],
    [{ what: 'service_cpu_s', at_most: 0.17 }, 'not measured'],
  ]
  for (const [goal, outcome] of rows) {
    const outcomes = compare(figure([goal], [7999, 1000])).map(c => c.outcome)
    assert.deepEqual(
      outcomes.filter(text => text !== ''),
      [outcome],
    )
  }
})

test('bench target whose baseline was not measured: refused', () => {
  const lost: Goal = { what: 'ratio', to: 'pgbench -c 1', at_least: 1 }
  assert.throws(() => compare(figure([lost], [1, 1])), /payout create: no .*pgbench -c 1/)
})

test('bench table: a row per figure, another row per further target, each note once, the origin', () => {
  const first = { ...figure([EIGHT, { what: 'p99_ms', at_most: 100 }], [6462, 1037]), note: 'Hot.' }
  const table = writeTable([results(first, { ...first, name: 'again', goals: [] })])
  const lines = table.split('\n')
  const against = 'pgbench: 1,037 | 6.23 | ≥ 8 | **short by 23 %**'
  assert.equal(
    lines[2],
    `| payout create <sup>1</sup> | 6,462 payouts/s | 64.6 |  |  | ${against} |`,
  )
  assert.equal(lines[3], '|  |  |  |  |  |  |  | p99 ≤ 100 ms | reached |')
  assert.match(lines[4] ?? '', /^\| again <sup>1<\/sup> /)
  assert.equal(table.split('Hot.').length, 2)
  assert.match(table, /\*\*payout\*\*: 2026-11-21 08:22 UTC, commit 81165f4, 1 round, 2 cores/)
})

test('bench chart, target is an upper limit: bar reaches the line when the target is met', () => {
  const chart = drawChart([
    results(
      figure([EIGHT, { what: 'p99_ms', at_most: 100 }], [4000, 1000]),
      figure([{ what: 'value', at_most: 5000 }], [10_000, 1]),
    ),
  ])
  assert.match(chart, /Targets: 1 of 3 reached/)
  assert.deepEqual(
    [...chart.matchAll(/>(\d+) %</g)].map(([, share]) => share),
    ['50', '250', '50'],
  )
  assert.equal(chart.match(/<rect class="reached"/g)?.length, 1)
})
