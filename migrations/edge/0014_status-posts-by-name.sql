-- `status_posts` was accepted and never delivered; now whoever named it gets it.
UPDATE `webhooks` SET
  `events` = json_insert(`events`, '$[#]', 'status_posts'),
  `ignored_events` = (SELECT json_group_array(value) FROM json_each(`webhooks`.`ignored_events`) WHERE value <> 'status_posts')
WHERE EXISTS (SELECT 1 FROM json_each(`webhooks`.`ignored_events`) WHERE value = 'status_posts');--> statement-breakpoint
UPDATE `server_webhook` SET
  `events` = json_insert(`events`, '$[#]', 'status_posts'),
  `ignored_events` = (SELECT json_group_array(value) FROM json_each(`server_webhook`.`ignored_events`) WHERE value <> 'status_posts')
WHERE EXISTS (SELECT 1 FROM json_each(`server_webhook`.`ignored_events`) WHERE value = 'status_posts');
