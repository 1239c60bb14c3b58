// The alarms of deploy/prometheus: Prometheus accepts each, rings it and keeps it quiet, docs/runbook.md
// says what to do, and one rings while a real Prometheus watches a service that loses its database.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeProgram } from '../../src/cli/commands.ts'
import { freePort } from '../support/network/port.ts'
import { startProxy } from '../support/network/proxy.ts'
import { documentsOf, noYaml, without } from '../support/programs.ts'
import { until } from '../support/service/process.ts'
import { openScene } from '../support/service/scene.ts'
import { ALARM_CASES, type AlarmCase } from './alarm-cases.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>
}

const RULES = 'deploy/prometheus/rules.yaml'
const text = readFileSync(RULES, 'utf8')
const rules: readonly Rule[] = noYaml
  ? []
  : documentsOf(text)[0].groups.flatMap((group: { rules: Rule[] }) => group.rules)
const skip = noYaml || without('promtool', '--version') || without('prometheus', '--version')

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-alarms-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A test of promtool: these series, and what the alarm says by then; nothing when it is quiet. */
function promtoolTest(one: AlarmCase, rule: Rule, rings: boolean) {
  const { severity } = rule.labels
  const said = {
    exp_labels: { ...one.labels, severity },
    exp_annotations: { ...rule.annotations, summary: one.says },
  }
  return {
    name: `${one.alert} ${rings ? 'rings' : 'is quiet'}`,
    interval: '1m',
    input_series: Object.entries(rings ? one.rings : one.quiet).map(([series, values]) => ({
      series,
      values,
    })),
    alert_rule_test: [{ eval_time: one.at, alertname: one.alert, exp_alerts: rings ? [said] : [] }],
  }
}

test('each alarm: Prometheus accepts its rule, rings it by bad series, and keeps it quiet by good ones', {
  skip,
}, async t => {
  const checked = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  const names = rules.map(({ alert }) => alert)
  assert.deepEqual(ALARM_CASES.map(({ alert }) => alert).sort(), [...names].sort())
  const folder = await temporary(t)
  // Each rule is alone in its file, so that no other is evaluated with it. JSON is YAML.
  const files = rules.map(async rule => {
    const one = ALARM_CASES.find(({ alert }) => alert === rule.alert)
    assert.ok(one, rule.alert)
    const of = join(folder, `${rule.alert}.rule.yaml`)
    await writeFile(of, JSON.stringify({ groups: [{ name: 'one', rules: [rule] }] }))
    const file = join(folder, `${rule.alert}.yaml`)
    const tests = [promtoolTest(one, rule, true), promtoolTest(one, rule, false)]
    const settings = { rule_files: [of], evaluation_interval: '1m' }
    await writeFile(file, JSON.stringify({ ...settings, tests }))
    return file
  })
  const args = ['test', 'rules', ...(await Promise.all(files))]
  const tested = spawnSync('promtool', args, { encoding: 'utf8' })
  assert.equal(tested.status, 0, `${tested.stdout}${tested.stderr}`)
})

/** What each section of the runbook says, in this order. */
const PARTS = ['For money', 'Look', 'Do', 'Do not', 'Over']

test('docs/runbook.md: a section for each alarm, which says what it means, what to do, and when it is over', {
  skip: noYaml,
}, async () => {
  const page = await readFile('docs/runbook.md', 'utf8')
  const sections = page.split(/^### /m).slice(1)
  const titles = sections.map(section => section.split('\n', 1)[0])
  assert.deepEqual(
    titles,
    rules.map(({ alert }) => alert),
  )
  for (const [n, section] of sections.entries()) {
    const parts = [...section.matchAll(/^- \*\*([\w ]+)\*\*: \S/gm)].map(([, part]) => part)
    assert.deepEqual(parts, PARTS, `${titles[n]}`)
  }
})

test('docs/runbook.md: each command that it names exists', async () => {
  const { commands } = await makeProgram(() => true)
  const page = await readFile('docs/runbook.md', 'utf8')
  const named = [...page.matchAll(/`corridor\s+([a-z-]+)(?:\s+([a-z-]+))?/g)]
  assert.ok(named.length > 40)
  for (const [words = '', name, second] of named) {
    const command = commands.find(one => one.name() === name)
    assert.ok(command !== undefined, words)
    if (command.commands.length === 0) continue
    assert.ok(
      command.commands.some(one => one.name() === second),
      words,
    )
  }
})

test('each alarm: wakes a person or waits for the morning, and links to its section of the runbook', {
  skip: noYaml,
}, () => {
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(page|ticket)$/, alert)
    assert.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook_url'], alert)
    assert.equal(annotations.runbook_url, `docs/runbook.md#${alert.toLowerCase()}`)
  }
})

/** A Prometheus that asks the service each second and waits two seconds instead of a minute. */
async function startPrometheus(t: TestContext, service: string) {
  const folder = await temporary(t)
  const port = await freePort()
  const quick = text.replaceAll(/^( +)for: .*$/gm, '$1for: 2s')
  await writeFile(join(folder, 'rules.yaml'), quick)
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [
      { job_name: 'corridor', static_configs: [{ targets: [new URL(service).host] }] },
    ],
  }
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(config))
  const at = `127.0.0.1:${port}`
  const args = [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${at}`,
  ]
  const child = spawn('prometheus', args, { stdio: 'ignore' })
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const isReady = () =>
    fetch(`http://${at}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('Prometheus is ready', isReady)
  // biome-ignore lint/suspicious/noExplicitAny: the answer of another program
  const ask = async (path: string): Promise<any> => {
    const answer = await fetch(`http://${at}/api/v1/${path}`)
    return ((await answer.json()) as { data: unknown }).data
  }
  return {
    /** The names of the alarms that ring. */
    async ringing(): Promise<string[]> {
      const { alerts } = await ask('alerts')
      return alerts
        .filter(({ state }: { state: string }) => state === 'firing')
        .map(({ labels }: { labels: { alertname: string } }) => labels.alertname)
    },
    /** The value of the only sample of an expression; undefined when there is none. */
    async value(expression: string): Promise<string | undefined> {
      const { result } = await ask(`query?query=${encodeURIComponent(expression)}`)
      return result[0]?.value[1]
    },
  }
}

test('service whose database goes away, watched by Prometheus: DatabaseAway rings; database back: it ends', {
  skip,
}, async t => {
  const { database, start } = await openScene()
  const proxy = await startProxy(database.url)
  t.after(() => proxy.close())
  const service = await start({ DATABASE_URL: proxy.url })
  const prometheus = await startPrometheus(t, service.address)
  const rings = async () => (await prometheus.ringing()).includes('DatabaseAway')
  const away = 'corridor_database_away'
  await until('watched', async () => (await prometheus.value(away)) === '0')
  assert.equal(await rings(), false)
  await proxy.down()
  await until('DatabaseAway rings', rings)
  await proxy.up()
  await until('DatabaseAway ends', async () => !(await rings()))
  assert.equal(await prometheus.value(away), '0')
})
