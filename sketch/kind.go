package sketch

// Precisions and limits of the three kinds of Uniques. A sketch of precision p has 2^p registers and, beyond its exact
// limit, a relative standard error of 1.04/sqrt(2^p). The limits of hours and minutes are where the set would outgrow
// the registers: at most half of a table of 2,048 or 256 slots of 8 bytes. That of a breakdown's row is lower: what
// counts there is bytes, and 65 registers take a sixth of those of 64 hashes.
const (
	HourPrecision   = 14 // 0.81 %
	HourExact       = 1024
	MinutePrecision = 10 // 3.25 %
	MinuteExact     = 128
	RowPrecision    = 12 // 1.63 %
	RowExact        = 64
)

// kind is what a Uniques is made for. Only equal kinds merge.
type kind uint8

const (
	hourly kind = iota
	minutely
	rowly
)

// The coefficients of LogLog-Beta's correction: of the number of empty registers, then of the powers of the logarithm
// of that number plus one. They are fitted for each precision; these are the ones that axiomhq uses.
var (
	hourBeta = [8]float64{-0.371009760230692, 0.00978811941207509, 0.185796293324165, 0.203015527328432,
		-0.116710521803686, 0.0431106699492820, -0.00599583540511831, 0.000449704299509437}
	rowBeta = [8]float64{-0.384979202588598, 0.183162233114364, 0.130396688841854, 0.0704838927629266,
		-0.0089589397146453, 0.0113010036741605, -0.00194285569591290, 0.000225435774024964}
	minuteBeta = [8]float64{-0.25935400670790054, -0.52598301999805808, 1.48933034925876839, -1.29642714084993571,
		0.62284756217221615, -0.15672326770251041, 0.02054415903878563, -0.00112488483925502}
)

// traits distinguish the kinds. The mark is the second byte of their bytes: the precision, or 0x80 more for rows, whose
// registers are written in a way of their own.
var traits = [...]struct {
	precision, exact int
	mark             byte
	beta             *[8]float64
}{
	hourly:   {HourPrecision, HourExact, HourPrecision, &hourBeta},
	minutely: {MinutePrecision, MinuteExact, MinutePrecision, &minuteBeta},
	rowly:    {RowPrecision, RowExact, 0x80 | RowPrecision, &rowBeta},
}
