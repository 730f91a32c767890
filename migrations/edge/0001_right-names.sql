-- Right names, which databases from before the first release get too. `dispatched` was `handed`.
ALTER TABLE `replays` RENAME TO `idempotency_keys`;--> statement-breakpoint
DROP INDEX `replays_by_expiry`;--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
UPDATE `idempotency_keys` SET `state` = 'dispatched' WHERE `state` = 'handed';--> statement-breakpoint
ALTER TABLE `former_hosts` RENAME TO `previous_hosts`;--> statement-breakpoint
ALTER TABLE `hosts` RENAME COLUMN `slots_given` TO `max_slots`;
