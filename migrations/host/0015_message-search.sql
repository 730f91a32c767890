-- The words of messages, for searches: filled in batches after the messages are stored, in the order of their rows up to `row`. What is changed or deleted
-- later is noted by triggers, and followed by the next batch. The rows of the index are in the order of the times of the messages.
CREATE VIRTUAL TABLE `message_words` USING fts5(words, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2 categories 'L* M* N* Co'");--> statement-breakpoint
INSERT INTO `message_words` (`message_words`, rank) VALUES ('automerge', 0), ('crisismerge', 1000);--> statement-breakpoint
CREATE TABLE `indexed_words` (`one` integer PRIMARY KEY NOT NULL, `row` integer NOT NULL);--> statement-breakpoint
INSERT INTO `indexed_words` VALUES (1, 0);--> statement-breakpoint
CREATE TABLE `changed_words` (`row` integer PRIMARY KEY NOT NULL);--> statement-breakpoint
CREATE TABLE `deleted_words` (`word_row` integer PRIMARY KEY NOT NULL);--> statement-breakpoint
CREATE TRIGGER `messages_changed` AFTER UPDATE OF `encoded` ON `messages`
WHEN new.rowid <= (SELECT row FROM indexed_words)
BEGIN INSERT OR IGNORE INTO changed_words VALUES (new.rowid); END;--> statement-breakpoint
CREATE TRIGGER `messages_deleted` AFTER DELETE ON `messages`
WHEN old.rowid <= (SELECT row FROM indexed_words)
BEGIN
  INSERT OR IGNORE INTO deleted_words VALUES ((old.at / 1000 - 1230768000) * 4194304 + old.rowid % 4194304);
  -- The next message takes the row of one that was the last.
  UPDATE indexed_words SET row = (SELECT coalesce(max(rowid), 0) FROM messages) WHERE row > (SELECT coalesce(max(rowid), 0) FROM messages);
END;
