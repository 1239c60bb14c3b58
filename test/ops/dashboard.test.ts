// The dashboard and the alerts that come with the product ask for metrics that it has, by labels that
// they have, and leave none of its own out.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { documentsOf, noYaml } from '../support/programs.ts'
import { startTestService, type TestService } from '../support/service/service.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: {
    readonly h: number
    readonly w: number
    readonly x: number
    readonly y: number
  }
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly targets?: readonly { readonly expr: string }[]
}

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly schemaVersion: number
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: unknown }[]
  }
  readonly panels: readonly Panel[]
}

/** Type by name, as /metrics has them, and the labels of those with samples. */
interface Metrics {
  readonly types: ReadonlyMap<string, string>
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
}

let service: TestService
let metrics: Metrics
let dashboard: Dashboard
before(async () => {
  service = await startTestService()
  const { text } = await service.inject({ method: 'GET', url: '/metrics' })
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
    ([, name = '', type = '']) => [name, type] as const,
  )
  const ours = Object.values<object>(service.deps.metrics).flatMap(metric =>
    'labelNames' in metric ? [metric as { name: string; labelNames: string[] }] : [],
  )
  metrics = {
    types: new Map(types),
    labels: new Map(ours.map(({ name, labelNames }) => [name, new Set(labelNames)])),
  }
  dashboard = JSON.parse(await readFile('deploy/grafana/dashboard.json', 'utf8'))
})
after(() => service.close())

/** What is put there by whoever collects the metrics, and by histograms. */
const GIVEN_LABELS = new Set(['job', 'instance', 'le'])

/** The metric that a series is of; undefined when there is none. */
function metricOf(series: string): string | undefined {
  if (metrics.types.has(series)) return series
  const [, name = ''] = /^(\w+)_(?:bucket|sum|count)$/.exec(series) ?? []
  return metrics.types.get(name) === 'histogram' ? name : undefined
}

/**
 * Metrics of ours or of the process that an expression names; fails on one that does not exist, and
 * on a label that it has not.
 */
function checkExpression(expression: string): string[] {
  const series = [...expression.matchAll(/\b((?:corridor|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
  assert.ok(series.length > 0, expression)
  const grouped = [...expression.matchAll(/(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').flatMap(label => label.trim() || []),
  )
  return series.map(([, name = '', selector = '']) => {
    const metric = metricOf(name)
    assert.ok(metric !== undefined, `${name} in ${expression}`)
    const selected = [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)
    for (const label of [...selected, ...grouped]) {
      const known: boolean | undefined =
        GIVEN_LABELS.has(label) || metrics.labels.get(metric)?.has(label)
      assert.ok(known, `label ${label} of ${name} in ${expression}`)
    }
    return metric
  })
}

test('deploy/grafana/dashboard.json: every metric exists with its labels, every metric of Corridor is shown', () => {
  const shown = new Set(
    dashboard.panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => checkExpression(expr)),
    ),
  )
  const ours = [...metrics.types.keys()].filter(name => name.startsWith('corridor_'))
  assert.ok(ours.length > 0)
  assert.deepEqual(
    ours.filter(name => !shown.has(name)),
    [],
  )
})

test('deploy/grafana/dashboard.json: can be imported into any Grafana, panels do not overlap', () => {
  const { uid, title, schemaVersion, templating, panels } = dashboard
  assert.deepEqual([uid, title], ['corridor', 'Corridor'])
  assert.ok(schemaVersion >= 36)
  assert.equal(templating.list[0]?.name, 'datasource')
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const taken = new Set<string>()
  for (const { title, type, gridPos, datasource } of panels) {
    if (type !== 'row') assert.match(datasource?.uid ?? '', /^\$\{datasource\}$/, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x} ${y}`), `${title} at ${x}, ${y}`)
        taken.add(`${x} ${y}`)
      }
    }
  }
})

test('deploy/prometheus/rules.yaml: every metric of Corridor exists with its labels', {
  skip: noYaml,
}, async () => {
  const [{ groups }] = documentsOf(await readFile('deploy/prometheus/rules.yaml', 'utf8'))
  const exprs: string[] = groups.flatMap(({ rules }: { rules: { expr: string }[] }) =>
    rules.map(({ expr }) => expr),
  )
  // The others are of Prometheus and of exporters.
  const [own, others] = [true, false].map(isOwn =>
    exprs.filter(expr => /\b(corridor|process|nodejs)_/.test(expr) === isOwn),
  ) as [string[], string[]]
  assert.ok(own.length > 30, `${own.length} alarms`)
  for (const expr of own) checkExpression(expr)
  for (const expr of others) assert.match(expr, /\b(up|node_\w+|pg_\w+|probe_\w+)\b/)
})
