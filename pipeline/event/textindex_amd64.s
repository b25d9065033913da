#include "textflag.h"

// func indexBlocks(text *byte, blocks int, stops, high *uint64) (control, escapes, above uint32)
//
// Y0 has the quote in each byte, Y1 the backslash, Y2 the last control character. Y3 gathers where control characters are, which are no
// larger than Y2, Y8 all bytes, and Y9 where backslashes are.
TEXT ·indexBlocks(SB), NOSPLIT, $0-44
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ stops+16(FP), DI
	MOVQ high+24(FP), DX
	MOVQ $0x22, AX
	VMOVQ AX, X0
	VPBROADCASTB X0, Y0
	MOVQ $0x5c, AX
	VMOVQ AX, X1
	VPBROADCASTB X1, Y1
	MOVQ $0x1f, AX
	VMOVQ AX, X2
	VPBROADCASTB X2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9

block:
	VMOVDQU (SI), Y4
	VMOVDQU 32(SI), Y5

	VPCMPEQB Y1, Y4, Y6
	VPCMPEQB Y1, Y5, Y7
	VPOR Y6, Y9, Y9
	VPOR Y7, Y9, Y9
	VPCMPEQB Y0, Y4, Y10
	VPCMPEQB Y0, Y5, Y11
	VPOR Y10, Y6, Y6
	VPOR Y11, Y7, Y7
	VPMOVMSKB Y6, AX
	VPMOVMSKB Y7, BX
	SHLQ $32, BX
	ORQ BX, AX
	MOVQ AX, (DI)

	VPMOVMSKB Y4, AX
	VPMOVMSKB Y5, BX
	SHLQ $32, BX
	ORQ BX, AX
	MOVQ AX, (DX)

	VPOR Y4, Y8, Y8
	VPOR Y5, Y8, Y8
	VPMINUB Y2, Y4, Y6
	VPMINUB Y2, Y5, Y7
	VPCMPEQB Y4, Y6, Y6
	VPCMPEQB Y5, Y7, Y7
	VPOR Y6, Y3, Y3
	VPOR Y7, Y3, Y3

	ADDQ $64, SI
	ADDQ $8, DI
	ADDQ $8, DX
	DECQ CX
	JNZ block

	VPMOVMSKB Y3, AX
	VPMOVMSKB Y9, BX
	VPMOVMSKB Y8, CX
	VZEROUPPER
	MOVL AX, control+32(FP)
	MOVL BX, escapes+36(FP)
	MOVL CX, above+40(FP)
	RET
