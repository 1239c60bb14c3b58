// A real Prometheus that collects the metrics of the processes each second, and judges the rules
// that come with the product, with shorter durations.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/network/port.ts'
import { until } from '../support/service/process.ts'
import { FASTER, hasten } from './kills.ts'

const RULES = 'deploy/prometheus/rules.yaml'

export interface Alarms {
  /** The alarms that ring now, sorted. */
  ringing(): Promise<string[]>
  close(): Promise<void>
}

/** Undefined where Prometheus is not installed. It has collected from all ports, and nothing rings. */
export async function startAlarms(
  folder: string,
  ports: readonly number[],
): Promise<Alarms | undefined> {
  const found = await promisify(execFile)('prometheus', ['--version']).catch(() => undefined)
  if (found === undefined) return undefined
  const rules = join(folder, 'rules.yaml')
  await writeFile(rules, hasten(await readFile(RULES, 'utf8'), FASTER))
  const targets = ports.map(port => `127.0.0.1:${port}`)
  const config = join(folder, 'prometheus.yaml')
  // JSON is YAML.
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'corridor', static_configs: [{ targets }] }],
    }),
  )
  const port = await freePort()
  const log = await open(join(folder, 'prometheus.log'), 'a')
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', log.fd, log.fd] },
  )
  const ended = once(child, 'exit')
  await log.close()
  const ask = async <T>(what: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${what}`)
    return ((await answer.json()) as { data: T }).data
  }
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('Prometheus is ready', () => {
    if (child.exitCode !== null) throw new Error(`Prometheus has ended: see ${folder}`)
    return ready()
  })
  const alarms: Alarms = {
    async ringing() {
      const { alerts } = await ask<{ alerts: Alert[] }>('alerts')
      const firing = alerts.filter(({ state }) => state === 'firing')
      return [...new Set(firing.map(({ labels }) => labels.alertname))].sort()
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
  // Of a process that it has never collected from, it says that it is away.
  await until('it has collected from all', async () => {
    const { result } = await ask<{ result: unknown[] }>('query?query=up%3D%3D1')
    return result.length === ports.length
  })
  await until('nothing rings', async () => (await alarms.ringing()).length === 0)
  return alarms
}

interface Alert {
  readonly state: string
  readonly labels: { readonly alertname: string }
}
