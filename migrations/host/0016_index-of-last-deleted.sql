-- Where the last messages were deleted before they were indexed, the place up to which all is indexed stayed behind them, and the messages that took their
-- rows were never found. Now it follows each deletion; what was left out is indexed anew, in the background.
DROP TRIGGER `messages_deleted`;--> statement-breakpoint
CREATE TRIGGER `messages_deleted` AFTER DELETE ON `messages`
BEGIN
  INSERT OR IGNORE INTO deleted_words SELECT (old.at / 1000 - 1230768000) * 4194304 + old.rowid % 4194304
    WHERE old.rowid <= (SELECT row FROM indexed_words);
  -- The next message takes the row of one that was the last.
  UPDATE indexed_words SET row = (SELECT coalesce(max(rowid), 0) FROM messages) WHERE row > (SELECT coalesce(max(rowid), 0) FROM messages);
END;--> statement-breakpoint
DELETE FROM `changed_words`;--> statement-breakpoint
DELETE FROM `deleted_words`;--> statement-breakpoint
INSERT INTO `message_words` (`message_words`) VALUES ('delete-all');--> statement-breakpoint
UPDATE `indexed_words` SET `row` = 0;
