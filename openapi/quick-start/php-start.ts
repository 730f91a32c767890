// The quick start in PHP, without any extension.

import { customer, shop } from '@msgnet/shared/api/sample-values.ts'
import { verificationSamples } from '@msgnet/shared/verification-samples.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import type { Steps } from './start-steps.ts'

export const phpSteps: Steps = {
  prepare: `<?php
const ORIGIN = '${SAMPLE_ORIGIN}';
$admin = 'admintoken: ' . trim(file_get_contents('.data/admin-token'));

function call(string $method, string $path, array $headers, ?array $body = null): array
{
    $options = ['method' => $method, 'header' => $headers, 'ignore_errors' => true];
    if ($body !== null) {
        $options['header'][] = 'content-type: application/json';
        $options['content'] = json_encode($body);
    }
    $text = file_get_contents(ORIGIN . $path, false, stream_context_create(['http' => $options]));
    if (!preg_match('/ 2\\d\\d/', $http_response_header[0])) {
        exit("$path: $http_response_header[0] $text\\n");
    }
    return json_decode($text, true);
}
`,
  create: `$made = call('POST', '/instance/init', [$admin], ['name' => 'Shop']);
$auth = 'token: ' . $made['instance']['token'];
`,
  connect: `$shown = call('POST', '/instance/connect', [$auth]);
$qr = $shown['pairing']['qr'];
`,
  scan: `const SIMULATION = '/console/laboratory';
call('POST', SIMULATION . '/sim/phones', [$admin], ['number' => '${shop}', 'name' => 'The Shop']);
call('POST', SIMULATION . '/sim/phones', [$admin], ['number' => '${customer}', 'name' => 'Bruno']);
call('POST', SIMULATION . '/sim/phones/${shop}/scan', [$admin], ['qr' => $qr]);
while (call('GET', '/instance/status', [$auth])['instance']['status'] !== 'connected') {
    sleep(1);
}
`,
  webhook: `$url = call('GET', SIMULATION . '/receiver', [$admin])['url'];
$secret = 'whsec_' . base64_encode(random_bytes(32));
call('POST', '/webhook', [$auth], ['url' => $url, 'events' => 'all', 'secret' => $secret]);
print_r(call('POST', '/webhook/test', [$auth]));
`,
  verify: `${verificationSamples.PHP.replace('<?php\n', '')}
$last = call('GET', SIMULATION . '/receiver/test', [$admin]);
$body = base64_decode($last['body']);
if (!isGenuine($secret, $last['headers'], $body)) {
    exit('The delivery is not genuine.');
}
echo "genuine: $body\\n";
`,
  send: `$sent = call(
    'POST',
    '/send/text',
    [$auth, 'idempotency-key: order-7'],
    ['number' => '${customer}', 'text' => 'Your order 7 is on its way.'],
);
echo "{$sent['messageid']} {$sent['status']}\\n";
`,
  receive: `call(
    'POST',
    SIMULATION . '/sim/messages',
    [$admin],
    ['from' => '${customer}', 'to' => '${shop}', 'text' => 'Thank you!'],
);
do {
    sleep(1);
    $delivered = json_encode(call('GET', '/v1/events?status=delivered', [$auth]));
} while (!str_contains($delivered, 'Thank you!'));
print_r(call('POST', '/chat/find', [$auth]));
`,
}
