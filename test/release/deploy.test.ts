// The files of deploy/: the programs that they are for, or their schema, accept them, and nginx with
// the sample in front of a service pays, streams, and names the client.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Ajv } from 'ajv'
import { readConfig } from '../../src/config/config.ts'
import { localPayout } from '../support/given/bodies.ts'
import { freePort } from '../support/network/port.ts'
import { selfSigned } from '../support/network/self-signed.ts'
import { documentsOf, noYaml, without } from '../support/programs.ts'
import { until } from '../support/service/process.ts'
import { addPerson, basic, startTestService } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'
import { ROOT } from './made.ts'

const DEPLOY = join(ROOT, 'deploy')

const MANIFESTS = readFileSync(join(DEPLOY, 'kubernetes/corridor.yaml'), 'utf8')

/** What the settings of a container or a unit say: readConfig accepts their names and values. */
const readSettings = (settings: Readonly<Record<string, string>>) => {
  const { DATABASE_URL_FILE, ...others } = settings
  assert.ok(DATABASE_URL_FILE)
  return readConfig({ ...others, DATABASE_URL: 'postgres://corridor@db/corridor' })
}

test('Kubernetes manifests: of the schema of each kind; a member that it has not: refused', {
  skip: noYaml,
}, async () => {
  const path = join(ROOT, 'test/fixtures/kubernetes/schema.json')
  const accepts = new Ajv({ strict: false }).compile(JSON.parse(await readFile(path, 'utf8')))
  const documents = documentsOf(MANIFESTS)
  const kinds = documents.map(({ kind }) => kind)
  assert.deepEqual(kinds, ['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget'])
  for (const document of documents) {
    assert.ok(accepts(document), `${document.kind}: ${JSON.stringify(accepts.errors?.slice(0, 3))}`)
  }
  const [, deployment] = documents
  deployment.spec.template.spec.containers[0].readOnlyRootFileSystem = true
  assert.equal(accepts(deployment), false)
})

test('Kubernetes manifests: pods have the secret as a file, no rights, and the time to drain', {
  skip: noYaml,
}, () => {
  const [settings, deployment, service, budget] = documentsOf(MANIFESTS)
  const { drain_ms } = readSettings(settings.data)
  const { template, selector, replicas, strategy } = deployment.spec
  const pod = template.spec
  const [container] = pod.containers
  // docs/operations.md, Stopping: 75 seconds with the default of one second.
  assert.ok(pod.terminationGracePeriodSeconds >= 74 + drain_ms / 1000)
  assert.ok(drain_ms >= 5_000, 'longer than proxies need to hear of the stop')
  assert.deepEqual(strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
  assert.ok(replicas > budget.spec.minAvailable)
  for (const labels of [selector, service.spec, budget.spec.selector]) {
    const wanted = labels.matchLabels ?? labels.selector
    assert.deepEqual(wanted, template.metadata.labels)
  }
  // What the profile `restricted` of Pod Security Standards asks for.
  const { securityContext: own } = container
  assert.equal(own.allowPrivilegeEscalation, false)
  assert.deepEqual(own.capabilities, { drop: ['ALL'] })
  assert.equal(own.readOnlyRootFilesystem, true)
  assert.equal(pod.securityContext.runAsNonRoot, true)
  assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' })
  const [{ mountPath }] = container.volumeMounts
  assert.ok(settings.data.DATABASE_URL_FILE.startsWith(`${mountPath}/`))
  const ports = container.ports.map((port: { name: string }) => port.name)
  for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    assert.ok(ports.includes(container[kind].httpGet.port), kind)
    assert.equal(container[kind].httpGet.port, 'ops')
  }
  assert.equal(container.livenessProbe.httpGet.path, '/healthz')
  assert.deepEqual(
    service.spec.ports.map((port: { targetPort: string }) => port.targetPort),
    ['http'],
  )
})

test('compose file: docker-compose accepts it; the service has no rights, and its secret by a file', {
  skip: without('docker-compose', 'version'),
}, () => {
  const args = ['-f', join(DEPLOY, 'compose.yaml'), 'config']
  const { status, stdout, stderr } = spawnSync('docker-compose', args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const [{ services, secrets }] = documentsOf(stdout)
  const { corridor, postgres } = services
  readSettings(corridor.environment)
  assert.deepEqual([corridor.read_only, corridor.cap_drop], [true, ['ALL']])
  assert.deepEqual(corridor.security_opt, ['no-new-privileges:true'])
  assert.match(corridor.stop_grace_period, /^(75s|1m15s)$/)
  assert.deepEqual(corridor.ports, ['127.0.0.1:8080:8080/tcp'])
  assert.equal(postgres.ports, undefined)
  for (const { source } of [...corridor.secrets, ...postgres.secrets]) {
    assert.ok(secrets[source].file, source)
  }
})

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-deploy-'))
  await chmod(folder, 0o755)
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('unit of systemd: systemd verifies it, and finds it exposed to 1.5 of 10 at most', {
  skip: without('systemd-analyze', '--version'),
}, async t => {
  const text = await readFile(join(DEPLOY, 'systemd/corridor.service'), 'utf8')
  const settings = [...text.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  readSettings(Object.fromEntries(settings))
  assert.equal(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1], '75')
  // The package is not in /opt here, and systemd asks for the program.
  const unit = join(await temporary(t), 'corridor.service')
  await writeFile(unit, text.replaceAll('/opt/corridor/bin/corridor', process.execPath))
  for (const args of [['verify'], ['security', '--offline=true', '--threshold=15']]) {
    const analysed = spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' })
    assert.equal(analysed.status, 0, `${args[0]}: ${analysed.stderr}${analysed.stdout}`)
    if (args[0] === 'verify') assert.equal(analysed.stderr, '')
  }
})

test('Caddyfile: caddy accepts it as it is formatted', {
  skip: without('caddy', 'version'),
}, () => {
  const file = join(DEPLOY, 'caddy/Caddyfile')
  const args = ['validate', '--adapter', 'caddyfile', '--config', file]
  const { status, stderr } = spawnSync('caddy', args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const formatted = execFileSync('caddy', ['fmt', file], { encoding: 'utf8' })
  assert.equal(execFileSync('cat', [file], { encoding: 'utf8' }), formatted)
})

const NGINX = '/usr/sbin/nginx'
const HOST = 'pay.example.com'

/** nginx with the sample, for a service at this port; the sample's own ports become free ones. */
async function startNginx(t: TestContext, service_port: number) {
  const folder = await temporary(t)
  const { key, cert } = selfSigned(HOST, Date.now() - 60_000, Date.now() + 3_600_000)
  await writeFile(join(folder, 'key.pem'), key)
  await writeFile(join(folder, 'fullchain.pem'), cert)
  const [port, plain_port] = [await freePort(), await freePort()]
  const sample = await readFile(join(DEPLOY, 'nginx/corridor.conf'), 'utf8')
  const changed = sample
    .replaceAll('/etc/ssl/corridor', folder)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${service_port};`)
    .replace('listen 80;', `listen 127.0.0.1:${plain_port};`)
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  await writeFile(
    join(folder, 'nginx.conf'),
    `${user}daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;
events {}
http {
  access_log off;
  ${kinds.map(kind => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${changed}
}
`,
  )
  const args = ['-c', join(folder, 'nginx.conf'), '-e', 'stderr']
  const tested = spawnSync(NGINX, [...args, '-t'], { encoding: 'utf8' })
  assert.equal(tested.status, 0, tested.stderr)
  assert.doesNotMatch(tested.stderr, /warn/)
  const nginx = spawn(NGINX, args, { stdio: 'ignore' })
  const ended = once(nginx, 'exit')
  t.after(async () => {
    nginx.kill('SIGTERM')
    await ended
  })
  const send = (path: string, options: RequestOptions = {}, body?: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { headers, ...others } = options
      const at = { host: '127.0.0.1', port, path, servername: HOST, ca: cert, agent: false }
      const sent = request({ ...at, headers: { host: HOST, ...headers }, ...others }, resolve)
      sent.on('error', reject).end(body)
    })
  await until('nginx listens', () =>
    send('/').then(
      () => true,
      () => false,
    ),
  )
  return { send }
}

const jsonOf = async (answer: IncomingMessage) =>
  JSON.parse(Buffer.concat(await Array.fromAsync(answer)).toString())

test('nginx with the sample: a payout is paid, metrics are hidden, a stream arrives at once, wrong keys count by the address of the client', {
  skip: existsSync(NGINX) ? false : `NOT RUN: this machine has no ${NGINX}`,
}, async t => {
  // As the sample says.
  const { trusted_proxies, public_url, allowed_hosts } = readConfig({
    CORRIDOR_TRUSTED_PROXIES: '127.0.0.1',
    CORRIDOR_PUBLIC_URL: `https://${HOST}`,
    CORRIDOR_ALLOWED_HOSTS: HOST,
  })
  const settings = { trusted_proxies, public_url, allowed_hosts, failed_logins_per_min: 2 }
  const service = await startTestService(settings)
  t.after(() => service.close())
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const { send } = await startNginx(t, port)

  const { account, key_id, secret } = await service.openAccount({ fund: { USD: 1_000_000n } })
  const headers = { authorization: basic(key_id, secret), 'content-type': 'application/json' }
  const paid = await send('/v3/payout', { method: 'POST', headers }, JSON.stringify(localPayout))
  const payout = await jsonOf(paid)
  assert.equal(paid.statusCode, 200, JSON.stringify(payout))
  assert.equal(payout.data.amount, localPayout.amount)
  for (const path of ['/metrics', '/healthz', '/readyz']) {
    assert.equal((await send(path)).statusCode, 404, path)
  }

  await addPerson(service, { user: 'ada', roles: [[account.account_id, 'viewer']] })
  const { cookie } = await logIn(service, 'ada')
  // By TLS, the name of the cookie has this prefix: nginx says that its client uses TLS.
  const own = { cookie: `__Host-${cookie}` }
  const stream = await send(`/console/${account.account_id}/live`, { headers: own })
  assert.equal(stream.statusCode, 200)
  assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8')
  // The stream stays open, so a proxy that collects an answer would pass nothing on.
  const [first] = await once(stream, 'data')
  assert.match(String(first), /^retry: 1000\n/)
  stream.destroy()

  const wrong = async (localAddress: string, forwarded: Record<string, string> = {}) => {
    const authorization = basic(key_id, 'wrong')
    const answer = await send('/v3/balance', {
      localAddress,
      headers: { authorization, ...forwarded },
    })
    return answer.statusCode
  }
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push(await wrong('127.0.0.2'))
  assert.deepEqual(statuses, [401, 401, 429])
  assert.equal(await wrong('127.0.0.3'), 401)
  // Nobody gets more attempts by naming another address.
  assert.equal(await wrong('127.0.0.2', { 'x-forwarded-for': '127.0.0.9' }), 429)
})
