-- All tables of the edge. Of two indexes that serve a query alike SQLite takes the later one, so their order counts.
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`seq` integer NOT NULL,
	`type` text NOT NULL,
	`owner` text NOT NULL,
	`payload` text NOT NULL,
	`at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`last_attempt_at` integer,
	`delivered_at` integer,
	`dead_at` integer,
	`last_status` integer,
	`last_error` text,
	`last_response` blob,
	`messageid` text,
	`request_id` text,
	`traceparent` text,
	`last_duration` integer,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_by_seq` ON `events` (`instance_id`,`seq`);--> statement-breakpoint
CREATE INDEX `events_waiting` ON `events` (`instance_id`,`next_attempt_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `events_by_status` ON `events` (`instance_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `events_by_age` ON `events` (`created_at`);--> statement-breakpoint
CREATE INDEX `events_dead` ON `events` (`instance_id`,`dead_at`) WHERE status = 'dead';--> statement-breakpoint
CREATE INDEX `events_failed` ON `events` (`instance_id`,`seq`) WHERE last_error is not null;--> statement-breakpoint
CREATE INDEX `events_refused` ON `events` (`last_attempt_at`) WHERE last_response is not null;--> statement-breakpoint
CREATE INDEX `events_by_message` ON `events` (`messageid`,`instance_id`) WHERE messageid is not null;--> statement-breakpoint
CREATE INDEX `events_filtered` ON `events` (`instance_id`,`seq`,`type`,`created_at`);--> statement-breakpoint
CREATE INDEX `events_in_order` ON `events` (`instance_id`,`status`,`seq`) WHERE status = 'pending' and attempts < 3;--> statement-breakpoint
CREATE INDEX `events_retried` ON `events` (`instance_id`,`next_attempt_at`) WHERE status = 'pending' and attempts >= 3;--> statement-breakpoint
CREATE TABLE `previous_hosts` (
	`instance_id` text NOT NULL,
	`host_id` text NOT NULL,
	`epoch` integer NOT NULL,
	PRIMARY KEY(`instance_id`, `host_id`),
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `hosts` (
	`id` text PRIMARY KEY NOT NULL,
	`region` text NOT NULL,
	`token_hash` text NOT NULL,
	`slots` integer DEFAULT 0 NOT NULL,
	`max_slots` integer DEFAULT 200 NOT NULL,
	`sessions` integer DEFAULT 0 NOT NULL,
	`lag` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`boot` text DEFAULT '' NOT NULL,
	`store_id` text DEFAULT '' NOT NULL,
	`draining` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hosts_token_hash_unique` ON `hosts` (`token_hash`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`state` text NOT NULL,
	`act_id` text DEFAULT '' NOT NULL,
	`messageid` text DEFAULT '' NOT NULL,
	`status` integer DEFAULT 0 NOT NULL,
	`response` blob,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `instances` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`company_id` text DEFAULT '' NOT NULL,
	`token_hash` text NOT NULL,
	`previous_token_hash` text,
	`previous_token_until` integer DEFAULT 0 NOT NULL,
	`host_id` text DEFAULT '' NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`rev` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'disconnected' NOT NULL,
	`connected` integer DEFAULT false NOT NULL,
	`logged_in` integer DEFAULT false NOT NULL,
	`jid` text DEFAULT '' NOT NULL,
	`lid` text DEFAULT '' NOT NULL,
	`profile_name` text DEFAULT '' NOT NULL,
	`pairing` blob,
	`pairing_until` integer DEFAULT 0 NOT NULL,
	`last_disconnect` integer DEFAULT 0 NOT NULL,
	`last_disconnect_reason` text DEFAULT '' NOT NULL,
	`delay_min` integer DEFAULT 0 NOT NULL,
	`delay_max` integer DEFAULT 0 NOT NULL,
	`last_seq` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`folded_name` text DEFAULT '' NOT NULL,
	`previous_number` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `instances_token_hash_unique` ON `instances` (`token_hash`);--> statement-breakpoint
CREATE INDEX `instances_by_company` ON `instances` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `instances_by_host` ON `instances` (`host_id`);--> statement-breakpoint
CREATE INDEX `instances_pairing` ON `instances` (`pairing_until`) WHERE pairing is not null;--> statement-breakpoint
CREATE INDEX `instances_by_previous_token` ON `instances` (`previous_token_hash`) WHERE previous_token_hash is not null;--> statement-breakpoint
CREATE INDEX `instances_by_age` ON `instances` (`created_at`);--> statement-breakpoint
CREATE TABLE `listeners` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `server_webhook` (
	`id` text PRIMARY KEY NOT NULL,
	`registered` integer NOT NULL,
	`source` text NOT NULL,
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
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
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
	`gone` integer DEFAULT false NOT NULL,
	`since` integer DEFAULT 0 NOT NULL,
	`last_delivered_at` integer DEFAULT 0 NOT NULL,
	`last_failure` text,
	`failing_since` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_id_unique` ON `subscriptions` (`id`);--> statement-breakpoint
CREATE TABLE `admin_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`token_hash` text NOT NULL,
	`previous_token_hash` text,
	`previous_token_until` integer DEFAULT 0 NOT NULL,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`renewed_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admin_tokens_token_hash_unique` ON `admin_tokens` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `admin_tokens_previous_token_hash_unique` ON `admin_tokens` (`previous_token_hash`);--> statement-breakpoint
CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`actor` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`target` text NOT NULL,
	`address` text NOT NULL,
	`request_id` text NOT NULL,
	`outcome` text NOT NULL,
	`acting_for` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_by_age` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_by_target` ON `audit` (`target`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_by_actor` ON `audit` (`actor_id`,`seq`);--> statement-breakpoint
CREATE TABLE `instance_tokens` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`token` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `late_outcomes` (
	`act` text PRIMARY KEY NOT NULL,
	`outcome` blob NOT NULL,
	`instance_id` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `late_outcomes_by_instance` ON `late_outcomes` (`instance_id`);--> statement-breakpoint
CREATE TABLE `proxies` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`enabled` integer NOT NULL,
	`url` blob NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `audit_is_not_changed` BEFORE UPDATE ON `audit` BEGIN SELECT raise(abort, 'the audit log is append only'); END;--> statement-breakpoint
CREATE TRIGGER `audit_is_not_shortened` BEFORE DELETE ON `audit` WHEN old.`at` > (unixepoch() - 86400) * 1000 BEGIN SELECT raise(abort, 'the audit log is append only'); END;--> statement-breakpoint
CREATE TABLE `earlier_attempts` (
	`event_id` text NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`duration` integer,
	`status` integer,
	`error` text,
	`response` blob,
	PRIMARY KEY(`event_id`, `number`),
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
CREATE INDEX `earlier_attempts_refused` ON `earlier_attempts` (`at`) WHERE response is not null;--> statement-breakpoint
CREATE INDEX `events_unaddressed` ON `events` (`instance_id`,`seq`) WHERE status = 'delivered' and delivered_at is null;--> statement-breakpoint
CREATE TABLE `links` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`language` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
CREATE UNIQUE INDEX `links_secret_hash_unique` ON `links` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `links_by_instance` ON `links` (`instance_id`);--> statement-breakpoint
CREATE INDEX `links_by_expiry` ON `links` (`expires_at`);--> statement-breakpoint
CREATE TRIGGER `links_end_when_linked` AFTER UPDATE OF `jid` ON `instances` WHEN new.`jid` <> '' AND old.`jid` = '' BEGIN UPDATE `links` SET `used_at` = unixepoch() * 1000 WHERE `instance_id` = new.`id` AND `used_at` = 0; END;
