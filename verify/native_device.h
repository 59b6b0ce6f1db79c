/* Which of a wheel's device code lies in which of its modules. */
#ifndef VERIFY_NATIVE_DEVICE_H
#define VERIFY_NATIVE_DEVICE_H

#include "verify/native.h"

/* Gives each module its part of n->device, which is sorted, and names the toolkits that made it. */
void native_device_deal(struct native *n);

#endif
