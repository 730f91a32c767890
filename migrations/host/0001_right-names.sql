-- Right names, which stores from before the first release get too.
ALTER TABLE `unreadable` RENAME TO `undecryptable`;--> statement-breakpoint
ALTER TABLE `messages` RENAME COLUMN `wire` TO `encoded`;--> statement-breakpoint
ALTER TABLE `unawaited` RENAME COLUMN `told` TO `unknown_reported`;
