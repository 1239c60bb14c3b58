// Registers a route: who may call it, what openapi.json says about it, and what answers it. Knows
// no resource.
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import type { Access } from './authenticate.ts'
import { type OperationDocs, operationDocs } from './docs.ts'
import { Envelope } from './schema.ts'

export interface RouteDocs extends OperationDocs {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The route's config without the scope. */
  readonly config?: Omit<FastifyContextConfig, 'scope'>
  /** Fastify's own options of the route. */
  readonly options?: Pick<RouteOptions, 'bodyLimit' | 'handlerTimeout' | 'preValidation'>
  /** Whether the answer has no envelope, as that of quotes. */
  readonly bare?: true
}

interface Route<Parts extends RouteGenericInterface> extends RouteDocs {
  /** Sends the answer. */
  send(request: FastifyRequest<Parts>, reply: FastifyReply): Promise<FastifyReply>
}

/** Registers a route, a GET by default. `scope` says who may call it. */
export function addRoute<Parts extends RouteGenericInterface>(
  app: FastifyInstance,
  path: string,
  scope: Access,
  { method = 'GET', config, options, bare, response, send, ...docs }: Route<Parts>,
): void {
  app.route({
    ...options,
    method,
    url: path,
    config: { scope, ...config },
    schema: operationDocs({ ...docs, response: bare ? response : Envelope(response) }),
    // Fastify cannot work out what a handler of any parts returns.
    handler: send as unknown as RouteHandlerMethod,
  })
}
