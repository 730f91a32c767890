-- contract: no release has the tables of webhooks beside the first. All webhooks are in `webhooks` from here on, and what became of events is in `deliveries`.
CREATE TABLE `webhooks` (
	`lane` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`instance_id` text NOT NULL,
	`position` integer NOT NULL,
	`mode` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`ignored_events` text NOT NULL,
	`exclude_messages` text,
	`enabled` integer NOT NULL,
	`add_url_events` integer DEFAULT false NOT NULL,
	`add_url_types` integer DEFAULT false NOT NULL,
	`secret` blob,
	`previous_secret` blob,
	`previous_secret_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`header_names` text,
	`headers` blob,
	`gone` integer DEFAULT false NOT NULL,
	`last_delivered_at` integer DEFAULT 0 NOT NULL,
	`failing_since` integer DEFAULT 0 NOT NULL,
	`last_failure` text,
	`chats` text,
	`cursor` integer NOT NULL,
	`since` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_id_unique` ON `webhooks` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_by_instance` ON `webhooks` (`instance_id`,`position`);
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`lane` integer NOT NULL,
	`seq` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`last_attempt_at` integer,
	`last_duration` integer,
	`last_status` integer,
	`next_attempt_at` integer,
	`dead_at` integer,
	`last_error` text,
	`last_response` blob,
	PRIMARY KEY(`lane`, `seq`),
	FOREIGN KEY (`lane`) REFERENCES `webhooks`(`lane`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`lane` integer NOT NULL,
	`seq` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`duration` integer,
	`status` integer,
	`error` text,
	`response` blob,
	PRIMARY KEY(`lane`, `seq`, `number`),
	FOREIGN KEY (`lane`,`seq`) REFERENCES `deliveries`(`lane`,`seq`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `events` ADD `wanted` integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE `events` ADD `refused` text;
--> statement-breakpoint
UPDATE events SET refused = 'not_storable', wanted = 0 WHERE status = 'dead' AND last_error = 'not_storable' AND last_attempt_at IS NULL;
--> statement-breakpoint
INSERT INTO webhooks (id, instance_id, position, mode, url, events, ignored_events, exclude_messages, enabled, add_url_events, add_url_types, secret, previous_secret, previous_secret_until, created_at, updated_at, header_names, headers, gone, last_delivered_at, failing_since, last_failure, cursor, since)
SELECT s.id, s.instance_id, 0, s.mode, s.url, s.events, s.ignored_events, s.exclude_messages, s.enabled, s.add_url_events, s.add_url_types, s.secret, s.previous_secret, s.previous_secret_until, s.created_at, s.updated_at, s.header_names, s.headers, s.gone, s.last_delivered_at, s.failing_since, s.last_failure,
  coalesce((SELECT min(e.seq) - 1 FROM events e WHERE e.instance_id = s.instance_id AND e.status = 'pending' AND e.attempts < 3), i.last_seq), s.since
FROM subscriptions s JOIN instances i ON i.id = s.instance_id;
--> statement-breakpoint
INSERT INTO webhooks (id, instance_id, position, mode, url, events, ignored_events, enabled, created_at, updated_at, cursor, since)
SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' || substr('89AB', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), i.id, 0, 'none', '', '[]', '[]', 0, i.created_at, i.created_at, i.last_seq, i.created_at
FROM instances i WHERE NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.instance_id = i.id);
--> statement-breakpoint
INSERT INTO webhooks (id, instance_id, position, mode, url, events, ignored_events, exclude_messages, enabled, add_url_events, add_url_types, secret, previous_secret, previous_secret_until, created_at, updated_at, header_names, headers, gone, last_delivered_at, failing_since, last_failure, chats, cursor, since)
SELECT f.id, f.instance_id, row_number() OVER (PARTITION BY f.instance_id ORDER BY f.created_at, f.id), 'own', f.url, f.events, f.ignored_events, f.exclude_messages, f.enabled, f.add_url_events, f.add_url_types, f.secret, f.previous_secret, f.previous_secret_until, f.created_at, f.updated_at, f.header_names, f.headers, f.gone, f.last_delivered_at, f.failing_since, f.last_failure, f.chats, f.cursor, f.since
FROM further_webhooks f;
--> statement-breakpoint
INSERT INTO deliveries (lane, seq, status, attempts, last_attempt_at, last_duration, last_status, next_attempt_at, dead_at, last_error, last_response)
SELECT w.lane, e.seq, e.status, e.attempts, coalesce(e.last_attempt_at, e.delivered_at), e.last_duration, e.last_status, e.next_attempt_at, e.dead_at, e.last_error, e.last_response
FROM webhooks w JOIN events e ON e.instance_id = w.instance_id
WHERE w.position = 0 AND e.refused IS NULL AND (e.status = 'dead' OR e.attempts > 0 OR e.delivered_at IS NOT NULL
  OR (e.status = 'pending' AND (e.last_attempt_at IS NOT NULL OR e.last_error IS NOT NULL)))
ORDER BY w.lane, e.seq;
--> statement-breakpoint
INSERT INTO deliveries (lane, seq, status, attempts, last_attempt_at, last_duration, last_status, next_attempt_at, dead_at, last_error, last_response)
SELECT w.lane, d.seq, d.status, d.attempts, d.last_attempt_at, d.last_duration, d.last_status, d.next_attempt_at, d.dead_at, d.last_error, d.last_response
FROM further_deliveries d JOIN webhooks w ON w.id = d.webhook_id
ORDER BY w.lane, d.seq;
--> statement-breakpoint
INSERT INTO delivery_attempts (lane, seq, number, at, duration, status, error, response)
SELECT d.lane, d.seq, a.number, a.at, a.duration, a.status, a.error, a.response
FROM earlier_attempts a JOIN events e ON e.id = a.event_id
JOIN webhooks w ON w.instance_id = e.instance_id AND w.position = 0
JOIN deliveries d ON d.lane = w.lane AND d.seq = e.seq
ORDER BY d.lane, d.seq, a.number;
--> statement-breakpoint
UPDATE events SET wanted = 0 WHERE status = 'delivered' AND delivered_at IS NULL AND attempts = 0;
--> statement-breakpoint
UPDATE events AS e SET wanted = e.wanted | (SELECT sum(1 << w.position) FROM webhooks w
    WHERE w.instance_id = e.instance_id AND w.position > 0 AND e.seq > w.cursor AND exists (select 1 from json_each(w.events) chosen where chosen.value = e.type)
    and not (e.type = 'messages' and exists (select 1 from json_each(w.exclude_messages) x where x.value in (
      iif(e.payload ->> '$.message.wasSentByApi', 'wasSentByApi', 'wasNotSentByApi'),
      iif(e.payload ->> '$.message.fromMe', 'fromMeYes', 'fromMeNo'),
      iif(e.payload ->> '$.message.isGroup', 'isGroupYes', 'isGroupNo'))))
    and (w.chats is null or case when e.type = 'history' then not exists (
        select 1 from json_each(e.payload, '$.event.chats') part where not exists (select 1 from json_each(w.chats) choice where case when choice.value glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 4) || substr(choice.value, 6) when choice.value glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) when choice.value glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) else choice.value end in (case when part.value ->> 'id' glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'id', 1, 4) || substr(part.value ->> 'id', 6) when part.value ->> 'id' glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'id', 1, 2) || substr(part.value ->> 'id', 4) when part.value ->> 'id' glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'id', 1, 2) || substr(part.value ->> 'id', 4) else part.value ->> 'id' end, case when part.value ->> 'lid' glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'lid', 1, 4) || substr(part.value ->> 'lid', 6) when part.value ->> 'lid' glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'lid', 1, 2) || substr(part.value ->> 'lid', 4) when part.value ->> 'lid' glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'lid', 1, 2) || substr(part.value ->> 'lid', 4) else part.value ->> 'lid' end)
      or choice.value = case when part.value ->> 'id' like '%@g.us' then 'groups' when part.value ->> 'id' like '%@s.msgnet.net' or part.value ->> 'id' like '%@lid' then 'people' end))
      else coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') is null or exists (select 1 from json_each(w.chats) choice where case when choice.value glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 4) || substr(choice.value, 6) when choice.value glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) when choice.value glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) else choice.value end in (case when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 1, 4) || substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 6) when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 4) when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 4) else coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') end, case when coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 1, 4) || substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 6) when coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 4) when coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 4) else coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') end, case when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 1, 4) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 6) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 4) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 4) else iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) end, case when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 1, 4) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 6) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 4) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 4) else iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) end)
      or choice.value = case when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') like '%@g.us' then 'groups' when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') like '%@s.msgnet.net' or coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') like '%@lid' then 'people' end) end)
    and e.refused is null)
WHERE EXISTS (SELECT 1 FROM webhooks w
    WHERE w.instance_id = e.instance_id AND w.position > 0 AND e.seq > w.cursor AND exists (select 1 from json_each(w.events) chosen where chosen.value = e.type)
    and not (e.type = 'messages' and exists (select 1 from json_each(w.exclude_messages) x where x.value in (
      iif(e.payload ->> '$.message.wasSentByApi', 'wasSentByApi', 'wasNotSentByApi'),
      iif(e.payload ->> '$.message.fromMe', 'fromMeYes', 'fromMeNo'),
      iif(e.payload ->> '$.message.isGroup', 'isGroupYes', 'isGroupNo'))))
    and (w.chats is null or case when e.type = 'history' then not exists (
        select 1 from json_each(e.payload, '$.event.chats') part where not exists (select 1 from json_each(w.chats) choice where case when choice.value glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 4) || substr(choice.value, 6) when choice.value glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) when choice.value glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) else choice.value end in (case when part.value ->> 'id' glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'id', 1, 4) || substr(part.value ->> 'id', 6) when part.value ->> 'id' glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'id', 1, 2) || substr(part.value ->> 'id', 4) when part.value ->> 'id' glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'id', 1, 2) || substr(part.value ->> 'id', 4) else part.value ->> 'id' end, case when part.value ->> 'lid' glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'lid', 1, 4) || substr(part.value ->> 'lid', 6) when part.value ->> 'lid' glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'lid', 1, 2) || substr(part.value ->> 'lid', 4) when part.value ->> 'lid' glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(part.value ->> 'lid', 1, 2) || substr(part.value ->> 'lid', 4) else part.value ->> 'lid' end)
      or choice.value = case when part.value ->> 'id' like '%@g.us' then 'groups' when part.value ->> 'id' like '%@s.msgnet.net' or part.value ->> 'id' like '%@lid' then 'people' end))
      else coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') is null or exists (select 1 from json_each(w.chats) choice where case when choice.value glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 4) || substr(choice.value, 6) when choice.value glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) when choice.value glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(choice.value, 1, 2) || substr(choice.value, 4) else choice.value end in (case when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 1, 4) || substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 6) when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 4) when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From'), 4) else coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') end, case when coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 1, 4) || substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 6) when coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 4) when coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 1, 2) || substr(coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid'), 4) else coalesce(e.payload ->> '$.message.chatlid', e.payload ->> '$.event.chatlid') end, case when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 1, 4) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 6) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 4) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null), 4) else iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_pn', ''), null) end, case when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) glob '55[0-9][0-9]9[6-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 1, 4) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 6) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) glob '521[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 4) when iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) glob '549[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]@s.msgnet.net' then substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 1, 2) || substr(iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null), 4) else iif(e.payload ->> '$.event.IsGroup' = 0 and e.payload ->> '$.event.IsFromMe' = 0, nullif(e.payload ->> '$.event.sender_lid', ''), null) end)
      or choice.value = case when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') like '%@g.us' then 'groups' when coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') like '%@s.msgnet.net' or coalesce(e.payload ->> '$.message.chatid', e.payload ->> '$.event.chatid', e.payload ->> '$.event.JID', nullif(e.payload ->> '$.event.GroupJID', ''), e.payload ->> '$.event.From') like '%@lid' then 'people' end) end)
    and e.refused is null);
--> statement-breakpoint
DELETE FROM earlier_attempts;
--> statement-breakpoint
DELETE FROM subscriptions;
--> statement-breakpoint
DROP TABLE `further_deliveries`;
--> statement-breakpoint
DROP TABLE `further_webhooks`;
--> statement-breakpoint
DROP INDEX `events_by_seq`;
--> statement-breakpoint
DROP INDEX `events_waiting`;
--> statement-breakpoint
DROP INDEX `events_in_order`;
--> statement-breakpoint
DROP INDEX `events_retried`;
--> statement-breakpoint
DROP INDEX `events_by_status`;
--> statement-breakpoint
DROP INDEX `events_dead`;
--> statement-breakpoint
DROP INDEX `events_failed`;
--> statement-breakpoint
DROP INDEX `events_refused`;
--> statement-breakpoint
DROP INDEX `events_unaddressed`;
--> statement-breakpoint
DROP INDEX `events_filtered`;
--> statement-breakpoint
CREATE INDEX `events_in_log` ON `events` (`instance_id`,`seq`,`type`,`created_at`,`wanted`);
--> statement-breakpoint
CREATE INDEX `events_unaddressed` ON `events` (`instance_id`,`seq`) WHERE wanted = 0;
--> statement-breakpoint
CREATE INDEX `events_not_whole` ON `events` (`instance_id`,`seq`) WHERE refused is not null;
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`lane`,`next_attempt_at`,`seq`) WHERE status = 'pending';
--> statement-breakpoint
CREATE INDEX `deliveries_dead` ON `deliveries` (`lane`,`dead_at`) WHERE status = 'dead';
--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`lane`,`seq`) WHERE last_error is not null;
--> statement-breakpoint
CREATE INDEX `deliveries_refused` ON `deliveries` (`last_attempt_at`) WHERE last_response is not null;
--> statement-breakpoint
CREATE INDEX `delivery_attempts_refused` ON `delivery_attempts` (`at`) WHERE response is not null;
--> statement-breakpoint
CREATE TRIGGER `events_take_deliveries` AFTER DELETE ON `events` BEGIN DELETE FROM `deliveries` WHERE `seq` = old.`seq` AND `lane` IN (SELECT `lane` FROM `webhooks` WHERE `instance_id` = old.`instance_id`); END;
--> statement-breakpoint
PRAGMA user_version = 1;
