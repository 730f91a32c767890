"""Takes over the linked device whose credential is in a file of lines of JSON, and connects it.

GATEWAY=http://127.0.0.1:8787 TOKEN=mgi_… python3 import_device.py credential.ndjson
"""

import os
import sys

from msgnet_gateway import InstanceClient

shop = InstanceClient(os.environ["GATEWAY"], os.environ["TOKEN"])
with open(sys.argv[1], "rb") as lines:
    imported = shop.import_credential(lines)["imported"]
print(imported["account"], imported["rows"])
# It needs no code: the device is linked already.
shop.connect()
