<?php

// Takes over the linked device whose credential is in a file of lines of JSON, and connects it.
//
// GATEWAY=http://127.0.0.1:8787 TOKEN=mgi_… php import_device.php credential.ndjson

declare(strict_types=1);

use Msgnet\Gateway\InstanceClient;

require __DIR__ . '/../autoload.php';

$shop = new InstanceClient(getenv('GATEWAY'), getenv('TOKEN'));
['account' => $account, 'rows' => $rows] = $shop->importCredential(new SplFileObject($argv[1]))['imported'];
echo "$account $rows\n";
// It needs no code: the device is linked already.
$shop->connect();
