-- Names as a search compares them. The triggers also see a version that does not know the columns.
ALTER TABLE `chats` ADD `folded` text;--> statement-breakpoint
CREATE INDEX `chats_by_folded` ON `chats` (`instance`,`folded`,`chatid`);--> statement-breakpoint
ALTER TABLE `contacts` ADD `folded` text;--> statement-breakpoint
CREATE INDEX `contacts_by_folded` ON `contacts` (`instance`,`folded`,`jid`);--> statement-breakpoint
CREATE TRIGGER `chats_renamed` AFTER UPDATE OF `name` ON `chats`
WHEN new.name <> old.name AND new.folded IS NOT NULL
BEGIN UPDATE chats SET folded = NULL WHERE rowid = new.rowid; END;--> statement-breakpoint
CREATE TRIGGER `contacts_renamed` AFTER UPDATE OF `name` ON `contacts`
WHEN new.name <> old.name AND new.folded IS NOT NULL
BEGIN UPDATE contacts SET folded = NULL WHERE rowid = new.rowid; END;
