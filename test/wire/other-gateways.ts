// Fills databases with a linked device in the forms of other gateways: Evolution API 2, and baileys-api of fazer-ai.

import { randomUUID } from 'node:crypto'
import { BufferJSON } from 'baileys'
import type { startPostgres, startRedis } from '../database-programs.ts'
import type { Client } from './client.ts'

type Sql = Awaited<ReturnType<typeof startPostgres>>['sql']
type Redis = Awaited<ReturnType<typeof startRedis>>['client']

const write = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer)

/** A user that may only read. */
export const READER = 'reader'

/** The tables and columns that matter here, of version 2.3, in a schema of their own. */
export async function createEvolutionTables(sql: Sql): Promise<void> {
  await sql.unsafe(`
    CREATE SCHEMA evolution;
    SET search_path TO evolution;
    CREATE TYPE "InstanceConnectionStatus" AS ENUM ('open', 'close', 'connecting');
    CREATE TABLE "Instance" (
      id text PRIMARY KEY, name varchar(255) UNIQUE NOT NULL,
      "connectionStatus" "InstanceConnectionStatus" NOT NULL DEFAULT 'open',
      "ownerJid" varchar(100), integration varchar(100), token varchar(255),
      "createdAt" timestamp DEFAULT now(), "updatedAt" timestamp);
    CREATE TABLE "Session" (
      id text PRIMARY KEY, "sessionId" text UNIQUE NOT NULL REFERENCES "Instance" (id), creds text,
      "createdAt" timestamp NOT NULL DEFAULT now());
    CREATE TABLE "Webhook" (
      id text PRIMARY KEY, url varchar(500) NOT NULL, headers jsonb, enabled boolean DEFAULT true, events jsonb,
      "webhookByEvents" boolean DEFAULT false, "webhookBase64" boolean DEFAULT false,
      "instanceId" text UNIQUE NOT NULL REFERENCES "Instance" (id));
    CREATE TABLE "Setting" (
      id text PRIMARY KEY, "rejectCall" boolean NOT NULL DEFAULT false, "groupsIgnore" boolean NOT NULL DEFAULT false,
      "alwaysOnline" boolean NOT NULL DEFAULT false, "instanceId" text UNIQUE NOT NULL REFERENCES "Instance" (id));
    CREATE TABLE "Proxy" (
      id text PRIMARY KEY, enabled boolean NOT NULL DEFAULT false, host varchar(100) NOT NULL, port varchar(100) NOT NULL,
      protocol varchar(100) NOT NULL, username varchar(100) NOT NULL, password varchar(100) NOT NULL,
      "instanceId" text UNIQUE NOT NULL REFERENCES "Instance" (id));
    CREATE ROLE ${READER} LOGIN;
    GRANT USAGE ON SCHEMA evolution TO ${READER};
    GRANT SELECT ON ALL TABLES IN SCHEMA evolution TO ${READER};`)
}

export interface EvolutionAccount {
  name: string
  status?: 'open' | 'close'
  integration?: string
  webhook?: { url: string; events: string[]; headers?: Record<string, string>; enabled?: boolean }
  setting?: { rejectCall?: boolean; groupsIgnore?: boolean }
  proxy?: { host: string; port: string; username?: string; password?: string }
}

/** Returns its id. */
export async function addEvolutionInstance(sql: Sql, account: EvolutionAccount): Promise<string> {
  const { name, status = 'close', integration = 'WHATSAPP-BAILEYS', webhook, setting, proxy } = account
  const id = randomUUID()
  await sql`INSERT INTO evolution."Instance" ${sql({ id, name, connectionStatus: status, integration, updatedAt: '2026-11-01 12:30:00' })}`
  if (webhook) {
    const { url, events, headers, enabled = true } = webhook
    await sql`INSERT INTO evolution."Webhook" (id, url, events, headers, enabled, "webhookByEvents", "instanceId")
      VALUES (${randomUUID()}, ${url}, ${sql.json(events)}, ${headers ? sql.json(headers) : null}, ${enabled}, true, ${id})`
  }
  if (setting)
    await sql`INSERT INTO evolution."Setting" ${sql({ id: randomUUID(), ...setting, instanceId: id })}`
  if (proxy)
    await sql`INSERT INTO evolution."Proxy" ${sql({ id: randomUUID(), enabled: true, protocol: 'http', username: '', password: '', ...proxy, instanceId: id })}`
  return id
}

/** In the table of sessions the text is JSON of a text of JSON. */
export async function addEvolutionSession(sql: Sql, instance: string, { auth }: Client): Promise<void> {
  const creds = JSON.stringify(write(auth.creds))
  await sql`INSERT INTO evolution."Session" ${sql({ id: randomUUID(), sessionId: instance, creds })}`
}

/** With `creds` as well where it saves whole instances there. */
export async function addEvolutionHash(
  redis: Redis,
  instance: string,
  { auth, keys }: Client,
  withCreds = false,
): Promise<void> {
  const hash = `evolution:instance:${instance}`
  for (const { kind, id, value } of keys.listRows()) await redis.hSet(hash, `${kind}-${id}`, write(value))
  if (withCreds) await redis.hSet(hash, 'creds', write(auth.creds))
}

export async function addFazerAccount(
  redis: Redis,
  id: string,
  { auth, keys }: Client,
  metadata: object,
): Promise<void> {
  const hash = `@baileys-api:connections:${id}:authState`
  await redis.hSet(hash, { creds: write(auth.creds), metadata: JSON.stringify(metadata) })
  for (const { kind, id: key, value } of keys.listRows())
    await redis.hSet(hash, `${kind}-${key}`, write(value))
}
